#!/usr/bin/env bash
# Builds the .deb, installs it in a fresh minimal Debian and runs it there.
#   tests/packaging/deb_test.sh [BUILD_FOLDER]       default: build/cpu; needs root and debootstrap
# Exit code 77: skipped, with the reason.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/cpu}
suite=${SUITE:-bookworm}

skip() { echo "skipped: $*" >&2; exit 77; }
[ "$(id -u)" = 0 ] || skip "a clean root takes root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
command -v dpkg-shlibdeps >/dev/null || skip "dpkg-dev is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build"
(cd "$work" && cpack -G DEB --config "$OLDPWD/$build/CPackConfig.cmake" -B "$work/package")
deb=$(echo "$work"/package/*.deb)
dpkg-deb --info "$deb" | grep -E '^ (Package|Version|Depends|Architecture|Maintainer)'
dpkg-deb --contents "$deb" >"$work/contents"
for file in usr/bin/attnroof usr/share/man/man1/attnroof.1 usr/share/attnroof/configs/default.json \
    usr/share/attnroof/report.schema.json usr/share/bash-completion/completions/attnroof \
    usr/share/zsh/vendor-completions/_attnroof usr/share/fish/vendor_completions.d/attnroof.fish; do
    grep -q " ./$file\$" "$work/contents" || { echo "the package lacks $file" >&2; exit 1; }
done

mirror=${MIRROR:-http://deb.debian.org/debian}
debootstrap --variant=minbase "$suite" "$work/debian" "$mirror" >"$work/debootstrap.log" 2>&1 ||
    { tail -5 "$work/debootstrap.log" >&2; skip "debootstrap could not make a root"; }
cp "$deb" "$work/debian/tmp/attnroof.deb"
for file in /etc/apt/apt.conf.d/*proxy* /etc/apt/apt.conf; do  # how this machine reaches its mirror
    [ ! -e "$file" ] || cp "$file" "$work/debian/etc/apt/apt.conf.d/"
done
cp /etc/resolv.conf "$work/debian/etc/resolv.conf"
inside() { chroot "$work/debian" /usr/bin/env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME=/root "$@"; }
inside apt-get install -y -qq --no-install-recommends /tmp/attnroof.deb >"$work/install.log" 2>&1 ||
    { tail -20 "$work/install.log" >&2; exit 1; }
inside attnroof --version
inside attnroof sweep --device cpu -N 256 -d 64 -o /tmp/report.json  # without /proc and /sys
inside grep -q '"complete": true' /tmp/report.json
inside grep -q '"status": "ok"' /tmp/report.json
if inside grep -q '"status": "\(skipped\|failed\|wrong\)"' /tmp/report.json; then
    echo "a case did not run" >&2
    exit 1
fi
inside apt-get remove -y -qq attnroof >/dev/null 2>&1
[ ! -e "$work/debian/usr/bin/attnroof" ] || { echo "removing leaves the binary" >&2; exit 1; }
echo "the package installs, runs and leaves again"
