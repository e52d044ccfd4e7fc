/* A C11 program that uses every function of c_api.h: known values go in, the number of failed checks comes out. */

#include "posenc/c_api.h"

#include <stdio.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      ++failures;                                                     \
      printf("%s:%d: %s is false\n", __FILE__, __LINE__, #condition); \
    }                                                                 \
  } while (0)

#define CHECK_CODE(code)                                                                  \
  do {                                                                                    \
    const int code_of_call = (code);                                                      \
    if (code_of_call != 0) {                                                              \
      ++failures;                                                                         \
      printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #code, posenc_message(code_of_call)); \
    }                                                                                     \
  } while (0)

static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* The row of position 1 with dim 6, as floats. */
static const uint32_t row_1[6] = {0x3F576AA4, 0x3F0A5140, 0x3D3E0D1D, 0x3F7FB96B, 0x3B0D3163, 0x3F7FFFD9};

static void check_row_1(const float* row) {
  for (int i = 0; i < 6; ++i) CHECK(bits_of(row[i]) == row_1[i]);
}

static void write_rows(const posenc_encoder* encoder) {
  float rows[3][6];
  CHECK_CODE(posenc_encode_range(encoder, -1, 1, 3, POSENC_F32, rows, 0));
  check_row_1(rows[2]);
  CHECK(rows[1][0] == 0.0f && rows[1][1] == 1.0f);
  CHECK(rows[0][0] == -rows[2][0] && rows[0][1] == rows[2][1]);

  memset(rows, 0, sizeof rows);
  const int32_t narrow[2] = {0, 1};
  const int64_t wide[2] = {0, 1};
  const float single[2] = {0.0f, 1.0f};
  const double fractional[2] = {0.0, 1.0};
  CHECK_CODE(posenc_encode(encoder, POSENC_POS_I32, narrow, 2, POSENC_F32, rows, 12));
  check_row_1(rows[2]);
  CHECK_CODE(posenc_encode(encoder, POSENC_POS_I64, wide, 2, POSENC_F32, rows, 0));
  check_row_1(rows[1]);
  CHECK_CODE(posenc_encode(encoder, POSENC_POS_F32, single + 1, 1, POSENC_F32, rows, 0));
  check_row_1(rows[0]);
  CHECK_CODE(posenc_encode(encoder, POSENC_POS_F64, fractional, 2, POSENC_F32, rows, 6));
  check_row_1(rows[1]);

  double doubles[6];
  CHECK_CODE(posenc_encode_range(encoder, 1, 1, 1, POSENC_F64, doubles, 0));
  uint16_t halves[6], truncated[6];
  CHECK_CODE(posenc_encode_range(encoder, 1, 1, 1, POSENC_F16, halves, 0));
  CHECK_CODE(posenc_encode_range(encoder, 1, 1, 1, POSENC_BF16, truncated, 0));
  for (int i = 0; i < 6; ++i) CHECK(bits_of((float)doubles[i]) == row_1[i]);
  CHECK(halves[0] == 0x3ABB && truncated[0] == 0x3F57);
}

static void add_rows(const posenc_encoder* encoder) {
  float x[2][6], out[2][8], in_place[2][6];
  const double positions[2] = {1.0, 1.0};
  for (int i = 0; i < 6; ++i) x[0][i] = x[1][i] = in_place[0][i] = in_place[1][i] = 0.0f;
  CHECK_CODE(posenc_encode_add_range(encoder, 1, 0, 3.0, 2, POSENC_F32, x, 0, out, 8));
  check_row_1(out[0]);
  check_row_1(out[1]);
  CHECK_CODE(posenc_encode_add(encoder, POSENC_POS_F64, positions, 3.0, 2, POSENC_F32, in_place, 0, in_place, 0));
  check_row_1(in_place[1]);
}

static void write_planes(const posenc_encoder* encoder) {
  float sines[2][3], cosines[2][4], row[6];
  const int64_t positions[2] = {5, 1};
  for (int call = 0; call < 2; ++call) {
    memset(sines, 0, sizeof sines);
    memset(cosines, 0, sizeof cosines);
    CHECK_CODE(call == 0 ? posenc_encode_planes(encoder, POSENC_POS_I64, positions, 2, POSENC_F32, sines, 0, cosines, 4)
                         : posenc_encode_planes_range(encoder, 5, -4, 2, POSENC_F32, sines, 0, cosines, 4));
    for (int k = 0; k < 3; ++k) {
      row[2 * k] = sines[1][k];
      row[2 * k + 1] = cosines[1][k];
    }
    check_row_1(row);
    CHECK(cosines[0][3] == 0.0f && cosines[1][3] == 0.0f);
  }
}

static void write_grid(const posenc_encoder* encoder) {
  const double h[2] = {0.0, 1.0}, w[3] = {2.0, 1.0, 0.0};
  const posenc_axis axes[2] = {{encoder, h, 2, 6}, {encoder, w, 3, 0}};
  float cells[6][12];
  CHECK_CODE(posenc_encode_grid(axes, 2, 6, POSENC_F32, cells, 0));
  check_row_1(cells[1]);     /* w of h = 0, w = 1 */
  check_row_1(cells[5] + 6); /* h of h = 1, w = 0 */
  CHECK(cells[5][0] == 0.0f && cells[5][1] == 1.0f);
  /* More axes than the library keeps on its stack: one cell of 9 axes. */
  posenc_axis nine[9];
  float cell[54];
  for (size_t i = 0; i < 9; ++i) nine[i] = (posenc_axis){encoder, h + 1, 1, 6 * (8 - i)};
  CHECK_CODE(posenc_encode_grid(nine, 9, 1, POSENC_F32, cell, 0));
  for (int i = 0; i < 9; ++i) check_row_1(cell + 6 * i);
  CHECK_CODE(posenc_encode_grid(NULL, 0, 0, POSENC_F32, NULL, 0));
}

/* The rotation of (0, 1) by a position is (-sin, cos). */
static void rotate_heads(const posenc_encoder* encoder) {
  float x[2][8], out[2][8], row[6];
  const int32_t position = 1;
  for (int i = 0; i < 8; ++i) x[0][i] = x[1][i] = i < 6 ? (float)(i % 2) : 7.0f;
  CHECK_CODE(posenc_rotate(encoder, POSENC_POS_I32, &position, 1, 2, 8, POSENC_F32, x, 0, out, 16));
  for (int head = 0; head < 2; ++head) {
    for (int i = 0; i < 6; ++i) row[i] = i % 2 == 0 ? -out[head][i] : out[head][i];
    check_row_1(row);
    CHECK(out[head][6] == 7.0f && out[head][7] == 7.0f);
  }
}

static void compare_rows(const posenc_encoder* encoder) {
  const int64_t offsets[3] = {0, 1, -1};
  double similarity[3];
  CHECK_CODE(posenc_similarity(encoder, offsets, 3, similarity));
  CHECK(similarity[0] == 3.0);
  CHECK(similarity[1] == similarity[2] && similarity[1] > 2.5 && similarity[1] < 2.6);
}

static void refuse(const posenc_encoder* encoder) {
  float rows[6] = {7.0f, 7.0f, 7.0f, 7.0f, 7.0f, 7.0f};
  const int32_t position = 1;
  const int64_t offset = 1;
  double similarity = 7.0;
  posenc_axis axis = {encoder, NULL, 1, 0};
  CHECK(posenc_encode_range(NULL, 0, 1, 1, POSENC_F32, rows, 0) != 0);
  CHECK(posenc_encode_range(encoder, 0, 1, 1, POSENC_F32, NULL, 0) != 0);
  CHECK(posenc_encode_range(encoder, 0, 1, 1, POSENC_F32, rows, 5) != 0);
  CHECK(posenc_encode_range(encoder, 0, 1, 1, 4, rows, 0) != 0);
  CHECK(posenc_encode_range(encoder, 0, 1, 1, -1, rows, 0) != 0);
  CHECK(posenc_encode(NULL, POSENC_POS_I32, &position, 1, POSENC_F32, rows, 0) != 0);
  CHECK(posenc_encode(encoder, POSENC_POS_I32, NULL, 1, POSENC_F32, rows, 0) != 0);
  CHECK(posenc_encode(encoder, 4, &position, 1, POSENC_F32, rows, 0) != 0);
  CHECK(posenc_encode_add_range(NULL, 0, 1, 1.0, 1, POSENC_F32, rows, 0, rows, 0) != 0);
  CHECK(posenc_encode_add_range(encoder, 0, 1, 1.0, 1, POSENC_F32, NULL, 0, rows, 0) != 0);
  CHECK(posenc_encode_add(NULL, POSENC_POS_I32, &position, 1.0, 1, POSENC_F32, rows, 0, rows, 0) != 0);
  CHECK(posenc_encode_add(encoder, POSENC_POS_I32, NULL, 1.0, 1, POSENC_F32, rows, 0, rows, 0) != 0);
  CHECK(posenc_encode_planes_range(NULL, 0, 1, 1, POSENC_F32, rows, 0, rows + 3, 0) != 0);
  CHECK(posenc_encode_planes_range(encoder, 0, 1, 1, POSENC_F32, rows, 0, rows + 2, 0) != 0);
  CHECK(posenc_encode_planes(NULL, POSENC_POS_I32, &position, 1, POSENC_F32, rows, 0, rows + 3, 0) != 0);
  CHECK(posenc_encode_planes(encoder, POSENC_POS_I32, NULL, 1, POSENC_F32, rows, 0, rows + 3, 0) != 0);
  CHECK(posenc_encode_grid(NULL, 1, 1, POSENC_F32, rows, 0) != 0);
  CHECK(posenc_encode_grid(&axis, 1, 1, POSENC_F32, rows, 0) != 0);
  CHECK(posenc_rotate(NULL, POSENC_POS_I32, &position, 1, 1, 0, POSENC_F32, rows, 0, rows, 0) != 0);
  CHECK(posenc_rotate(encoder, POSENC_POS_I32, NULL, 1, 1, 0, POSENC_F32, rows, 0, rows, 0) != 0);
  CHECK(posenc_rotate(encoder, POSENC_POS_I32, &position, 1, 1, 0, POSENC_F32, NULL, 0, rows, 0) != 0);
  CHECK(posenc_similarity(NULL, &offset, 1, &similarity) != 0);
  CHECK(posenc_similarity(encoder, NULL, 1, &similarity) != 0);
  CHECK(posenc_similarity(encoder, &offset, 1, NULL) != 0);
  for (int i = 0; i < 6; ++i) CHECK(rows[i] == 7.0f);
  CHECK(similarity == 7.0);
}

int main(void) {
  posenc_spec spec = posenc_default_spec(6);
  posenc_encoder* encoder = NULL;
  CHECK_CODE(posenc_make(&spec, &encoder));
  CHECK(encoder != NULL);
  CHECK(strlen(posenc_active_target()) > 0);
  if (encoder != NULL) {
    write_rows(encoder);
    add_rows(encoder);
    write_planes(encoder);
    write_grid(encoder);
    rotate_heads(encoder);
    compare_rows(encoder);
    refuse(encoder);
  }
  posenc_free(encoder);
  posenc_free(NULL);
  CHECK(posenc_make(NULL, &encoder) != 0 && encoder == NULL);
  CHECK(posenc_make(&spec, NULL) != 0);
  return failures == 0 ? 0 : 1;
}
