// The files of src/report/page/, compiled in.
#pragma once

#include <string>

namespace attnroof {

std::string page_template();  // page.html; {{title}}, {{style}}, {{report}}, {{view}}, {{script}}
std::string page_style();
std::string page_script();  // every script, in the order in which they need each other

}  // namespace attnroof
