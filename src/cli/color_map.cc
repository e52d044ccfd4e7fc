// Colours of values: a number from -1 to 1 goes in, a colour from blue over near white to red comes out.

#include "src/cli/color_map.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace posenc::cli {
namespace {

constexpr Color kNotANumber = {0x80, 0x80, 0x80};

// One component of linear light, 0 to 1, as a byte of sRGB (IEC 61966-2-1). Light outside the gamut is cut off.
std::uint8_t SrgbByte(double linear) noexcept {
  const double light = std::clamp(linear, 0.0, 1.0);
  const double encoded = light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1.0 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255.0 * encoded));
}

// Oklab in polar form to sRGB; the coefficients are those of its definition (Ottosson 2020, "A perceptual color space
// for image processing"). lightness is 0 to 1.
Color OklchToSrgb(double lightness, double chroma, double hue_degrees) noexcept {
  const double hue = hue_degrees * std::numbers::pi / 180.0;
  const double a = chroma * std::cos(hue);
  const double b = chroma * std::sin(hue);
  const double long_root = lightness + 0.3963377774 * a + 0.2158037573 * b;
  const double medium_root = lightness - 0.1055613458 * a - 0.0638541728 * b;
  const double short_root = lightness - 0.0894841775 * a - 1.2914855480 * b;
  const double l = long_root * long_root * long_root;
  const double m = medium_root * medium_root * medium_root;
  const double s = short_root * short_root * short_root;
  return {SrgbByte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          SrgbByte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          SrgbByte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

// value is in [-1, 1].
Color Diverging(double value) noexcept {
  const double strength = std::abs(value);
  // From near white down to a dark end; the chroma rises fast and falls again, since dark colours hold little of it.
  const double lightness = 0.97 - 0.57 * strength;
  const double chroma = 0.30 * std::pow(strength, 0.85) * (1.0 - 0.48 * strength);
  // The hues turn a little towards violet and crimson at the dark ends, where blue and red have the largest gamut.
  const double hue = value < 0.0 ? 238.0 + 20.0 * strength : 40.0 - 17.0 * strength;
  return OklchToSrgb(lightness, chroma, hue);
}

}  // namespace

ColorMap::ColorMap() noexcept {
  constexpr double kHalf = (kEntries - 1) / 2;
  for (std::size_t i = 0; i < kEntries; ++i) entries_[i] = Diverging((static_cast<double>(i) - kHalf) / kHalf);
}

Color ColorMap::At(double value) const noexcept {
  if (std::isnan(value)) return kNotANumber;
  constexpr double kHalf = (kEntries - 1) / 2;
  return entries_[static_cast<std::size_t>(std::lround((std::clamp(value, -1.0, 1.0) + 1.0) * kHalf))];
}

}  // namespace posenc::cli
