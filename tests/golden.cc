// Test room golden: the configurations and their hashes. golden_slow_test.cc works the hashes out again with MPFR, and
// prints those that differ in the form of this table.

#include "tests/golden.h"

#include <limits>

#include "tests/specs.h"

namespace posenc::test {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

template <class Change>
Spec Changed(std::size_t dim, Change change) {
  Spec spec = SpecOf(dim);
  change(spec);
  return spec;
}

}  // namespace

std::vector<Golden> GoldenTables() {
  const auto same = [](Spec&) {};
  return {
      {Changed(64, same), 0, 1, 300, {0xA0EC5F4F550C6560, 0xEE6CF7D0B64115E9, 0x0135C5D5E0788EE6, 0x3282706DD789C414}},
      {Changed(512, same), 0, 1, 100, {0x4792B7C7AE88A829, 0x950BA90983309FF5, 0xE46522C5C36412BF, 0x5CD14F8FF76F7AD1}},
      {Changed(128, same),
       4096 - 37,
       1,
       129,
       {0x65B4DC0595042EC4, 0x69890F0CB49E885E, 0x27645EA2D5CC2768, 0x08F09542D3179368}},
      {Changed(128, same),
       131072,
       1,
       64,
       {0x191577B2450CAC33, 0xCE05BE3E80666A19, 0x391390B047302FD4, 0x5DB3B6EEC2B4C171}},
      {Changed(96, same),
       -100,
       1,
       201,
       {0xA062EB7FDD82F0B1, 0x3C2CB489ADB7BC59, 0xE79057170019A9B9, 0x6DBEF9E319A4D7A5}},
      {Changed(80, same),
       1000003,
       -7,
       90,
       {0x6B0EADFB2C62FCC5, 0x91000E9F93B7414B, 0x7193AC20C11AD1A5, 0x55CE0CD424EED9EC}},
      {Changed(4096, same), 7, 1, 9, {0xF98C00BF81A1E507, 0x0EDAEA00EEC12EC0, 0x91C2BAFF4A239660, 0x6AB10D40E3A55420}},
      {Changed(770, same),
       (std::int64_t{1} << 53) - 3,
       1,
       20,
       {0xAD1E14C01E968D9D, 0x0A3B904F61588997, 0x317BADB2B7F7B5AD, 0x149638BCAD01E26A}},
      {Changed(66, same),
       kMin,
       1,
       40,
       {0x026C87DE5E9EB7F4, 0x74A48CBF97E63F54, 0x695578D4BE5DA314, 0xF6EC8C9A70FC28BC}},
      {Changed(34, [](Spec& s) { s.layout = Layout::kSplit; }),
       -5,
       1,
       200,
       {0xE759D2BD3673E811, 0xA9B60E78845637B1, 0xCFA9D0CC8A8288C3, 0xDD85CE2E8FFD237C}},
      {Changed(34, [](Spec& s) { s.cos_first = true; }),
       -5,
       1,
       200,
       {0x59D6285D5C917325, 0xE8878CF615AC59E9, 0xC74EDB2D62C9A90B, 0x96BB0E283AAC1EEC}},
      {Changed(34, [](Spec& s) { s.layout = Layout::kSplit, s.cos_first = true, s.spacing = Spacing::kInclusive; }),
       -5,
       1,
       200,
       {0x258750ED2B27AB37, 0x19AC00F821A3F08B, 0xFA79AD613A6A76D1, 0xC7A421D4BD2126B7}},
      {Changed(37, [](Spec& s) { s.odd = OddDim::kZero, s.layout = Layout::kSplit; }),
       10,
       1,
       150,
       {0x2D74AC1A8FCE632B, 0x1E219A7946D2F72F, 0xB6C4450F227D80C8, 0x8D926BCD66F69B83}},
      {Changed(37, [](Spec& s) { s.odd = OddDim::kDropCos; }),
       10,
       1,
       150,
       {0x5059B9810AB689A4, 0xD4C2F129A8EECE49, 0x66D4F3417FF701FD, 0x76EB6CEF50F60B94}},
      {Changed(64, [](Spec& s) { s.base = 500000.0; }),
       8000,
       1,
       150,
       {0xF6200C398B85E505, 0xABA4BF634CD4A025, 0xDD75A4BFEE895228, 0x7A8C6C945CF53F82}},
      {Changed(48, [](Spec& s) { s.base = 1e12; }),
       0,
       1,
       200,
       {0x3C275C28FE2131B6, 0xE91DACEB3341EB74, 0x63E5EE5679F3AC1F, 0x2B8962703FAD7757}},
      {Changed(32, [](Spec& s) { s.base = 1.0, s.amplitude = -0.1767766952966369; }),
       0,
       3,
       200,
       {0x280062320881FA85, 0x67B0EE51BDCED385, 0xA578D877807EAE25, 0x2A1B17FD26108FE5}},
      {Changed(20, [](Spec& s) { s.position_scale = 1000.0, s.amplitude = 0x1.000001p0; }),
       0,
       1,
       200,
       {0x14B552EDB8ADB547, 0x17EC409AF8C5BB1D, 0xD0C5077F30BB2DC0, 0x8E9EB2F6001305DF}},
      {Changed(8,
               [](Spec& s) {
                 s.inv_freq = {1.0, -0.25, 1e-20, 0.0};
               }),
       -300,
       1,
       600,
       {0xB2F7BF480E76BCE1, 0x73EB4AE92FD44173, 0x0FDCDF6E35186D3F, 0x7EE21351BD6908D6}},
      {Changed(6,
               [](Spec& s) {
                 s.inv_freq = {3.141592653589793, 1e6, 0x1p-30}, s.position_scale = -0.5;
               }),
       -128,
       5,
       400,
       {0x1F01DDC53455B06C, 0xE98E33D95109C87E, 0x64C055E99416F219, 0xC3DAAD652D426313}},
  };
}

}  // namespace posenc::test
