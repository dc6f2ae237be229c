// The columns of a prediction: what a case needs, and the time and rate that the roofs allow.
#include "report/axes.h"
#include "report/table_columns.h"
#include "report/units.h"

namespace attnroof {
namespace {

using C = const CaseResult&;
using S = const Scales&;

std::string useful_cell(C c, S) { return si(c.useful_flops, "FLOP"); }
std::string bytes_cell(C c, S) { return si(static_cast<double>(c.modelled.total()), "B"); }
std::string footprint_cell(C c, S) { return si(static_cast<double>(c.footprint_bytes), "B"); }
std::string intensity_cell(C c, S) {
    return c.point ? significant(c.point->intensity_flop_per_byte) : "";
}
std::string time_cell(C c, S) { return c.point ? si(c.point->attainable_s, "s") : ""; }
std::string rate_cell(C c, S) {
    return c.point ? si(c.useful_flops / c.point->attainable_s, "FLOP/s") : "";
}
std::string roof_cell(C c, S) { return c.point ? roof_name(*c.point) : ""; }
std::string bound_cell(C c, S) { return c.point ? name(c.point->bound) : ""; }

}  // namespace

void add_predicted_figures(std::vector<CaseColumn>& columns, const Report& report) {
    const std::vector<CaseColumn> figures{
        {{"useful", true, 5}, useful_cell},       {{memory_name(report), true, 6}, bytes_cell},
        {{"footprint", true, 2}, footprint_cell}, {{"FLOP/byte", true, 4}, intensity_cell},
        {{"at best", true, 8}, time_cell},        {{"rate", true, 7}, rate_cell},
        {{"roof", false, 6}, roof_cell},          {{"bound", false, 3}, bound_cell}};
    columns.insert(columns.end(), figures.begin(), figures.end());
}

}  // namespace attnroof
