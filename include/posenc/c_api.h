/* The door of posenc for C (C11) and for whatever calls C: the operations of posenc.h, with the same contract and the
 * same rules. posenc.h describes what each of them writes; here are the arguments.
 *
 * Every function that can fail returns an int: 0 is success, any other value is the number of the rule that was broken
 * (an enumerator of posenc::Error), and posenc_message gives its sentence. On a failure nothing has been written. No
 * exception and no C++ type passes through here, nothing aborts or prints, and NULL where memory is needed is an error.
 *
 * Rows: row r has its first element at data + r * stride elements; a stride of 0 means the elements of a row. The type
 * of the elements is a posenc_dtype, that of positions a posenc_position_type. Halves and bfloat16s are uint16_t with
 * their bits. The pointers need the alignment of the type. With a count of 0 pointers may be NULL.
 */

#ifndef POSENC_C_API_H_
#define POSENC_C_API_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Type of the elements of rows. Enumerations are ints, so that every value can be passed, and a wrong one gives an
 * error. */
typedef int posenc_dtype;
enum { POSENC_F32 = 0, POSENC_F64 = 1, POSENC_F16 = 2, POSENC_BF16 = 3 };

/* Type of positions. */
typedef int posenc_position_type;
enum { POSENC_POS_I32 = 0, POSENC_POS_I64 = 1, POSENC_POS_F32 = 2, POSENC_POS_F64 = 3 };

/* Where sines and cosines stand in a row. */
typedef int posenc_layout;
enum {
  POSENC_INTERLEAVED = 0, /* s0 c0 s1 c1 ... */
  POSENC_SPLIT = 1        /* s0 s1 ... c0 c1 ... */
};

/* Spacing of the exponents of base; n is dim/2. */
typedef int posenc_spacing;
enum {
  POSENC_EXCLUSIVE = 0, /* w_k = base^(-k/n), the paper */
  POSENC_INCLUSIVE = 1  /* w_k = base^(-k/(n-1)), which ends at 1/base */
};

/* What an odd dim means. */
typedef int posenc_odd_dim;
enum {
  POSENC_ODD_ERROR = 0,   /* an odd dim is refused */
  POSENC_ODD_ZERO = 1,    /* the last element of the row is 0 */
  POSENC_ODD_DROP_COS = 2 /* the last frequency has no cosine */
};

/* What to encode: the fields of posenc::Spec. Start from posenc_default_spec. Later versions of this header may add
 * fields at the end; size tells the library which ones there are, and those that are missing have their defaults. */
typedef struct posenc_spec {
  size_t size;            /* sizeof(posenc_spec) */
  size_t dim;             /* elements in a row, from 1 to 2^26 */
  double base;            /* above 0; also known as max_period, theta */
  posenc_layout layout;   /* POSENC_INTERLEAVED or POSENC_SPLIT */
  int cos_first;          /* 0 or 1 */
  posenc_spacing spacing; /* POSENC_EXCLUSIVE or POSENC_INCLUSIVE */
  posenc_odd_dim odd;     /* POSENC_ODD_ERROR, POSENC_ODD_ZERO or POSENC_ODD_DROP_COS */
  double position_scale;  /* multiplies positions; finite */
  double amplitude;       /* multiplies sines and cosines; finite */
  const double*
      inv_freq; /* NULL, or inv_freq_count frequencies, used in place of base and spacing; read by posenc_make */
  size_t inv_freq_count; /* 0, or one a frequency */
} posenc_spec;

/* The defaults of the paper. Compiled into the caller, so that it fills the struct that the caller knows. */
static inline posenc_spec posenc_default_spec(size_t dim) {
  posenc_spec spec;
  spec.size = sizeof(posenc_spec);
  spec.dim = dim;
  spec.base = 10000.0;
  spec.layout = POSENC_INTERLEAVED;
  spec.cos_first = 0;
  spec.spacing = POSENC_EXCLUSIVE;
  spec.odd = POSENC_ODD_ERROR;
  spec.position_scale = 1.0;
  spec.amplitude = 1.0;
  spec.inv_freq = NULL;
  spec.inv_freq_count = 0;
  return spec;
}

/* Immutable: calls from many threads at once are safe. */
typedef struct posenc_encoder posenc_encoder;

/* Makes an encoder; *out is NULL on a failure. The caller gives it to posenc_free. */
int posenc_make(const posenc_spec* spec, posenc_encoder** out);
/* Takes an encoder back. NULL is none. */
void posenc_free(posenc_encoder* encoder);

/* The sentence of a code. Never NULL, whatever the code. */
const char* posenc_message(int code);

/* The SIMD target that calls run on now, e.g. "AVX3". */
const char* posenc_active_target(void);

/* PE(start + r * step) to row r of out, r = 0 .. count - 1. */
int posenc_encode_range(const posenc_encoder* encoder, int64_t start, int64_t step, size_t count, posenc_dtype dtype,
                        void* out, size_t stride);

/* PE(positions[r]) to row r of out. */
int posenc_encode(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                  size_t count, posenc_dtype dtype, void* out, size_t stride);

/* x_scale * x + PE(start + r * step) to row r of out, one rounding. x is of the same dtype; out may be x itself. */
int posenc_encode_add_range(const posenc_encoder* encoder, int64_t start, int64_t step, double x_scale, size_t count,
                            posenc_dtype dtype, const void* x, size_t x_stride, void* out, size_t stride);

/* x_scale * x + PE(positions[r]) to row r of out. */
int posenc_encode_add(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                      double x_scale, size_t count, posenc_dtype dtype, const void* x, size_t x_stride, void* out,
                      size_t stride);

/* Sines and cosines of start + r * step to row r of sin_rows and of cos_rows: Encoder::EncodePlanes. */
int posenc_encode_planes_range(const posenc_encoder* encoder, int64_t start, int64_t step, size_t count,
                               posenc_dtype dtype, void* sin_rows, size_t sin_stride, void* cos_rows,
                               size_t cos_stride);

/* The same at positions[r]. */
int posenc_encode_planes(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                         size_t count, posenc_dtype dtype, void* sin_rows, size_t sin_stride, void* cos_rows,
                         size_t cos_stride);

/* One axis of a grid: posenc::Axis. */
typedef struct posenc_axis {
  const posenc_encoder* encoder; /* of this axis; it stays the caller's */
  const double* positions;       /* of the cells along this axis */
  size_t count;                  /* of positions */
  size_t column;                 /* where in the row the encoding goes */
} posenc_axis;

/* The rows of a grid, the first axis slowest; count is the product of the counts of the axes. Allocates only with more
 * than 8 axes. */
int posenc_encode_grid(const posenc_axis* axes, size_t axis_count, size_t count, posenc_dtype dtype, void* out,
                       size_t stride);

/* Rotary: the pairs of x, rotated by the positions of their rows, to out: Encoder::Rotate. A row has heads heads of
 * head_dim elements each (0 means dim), of which the first dim are rotated. out may be x itself. */
int posenc_rotate(const posenc_encoder* encoder, posenc_position_type position_type, const void* positions,
                  size_t count, size_t heads, size_t head_dim, posenc_dtype dtype, const void* x, size_t x_stride,
                  void* out, size_t stride);

/* PE(p) . PE(p + offsets[i]) to out[i], i = 0 .. count - 1, whatever p is. */
int posenc_similarity(const posenc_encoder* encoder, const int64_t* offsets, size_t count, double* out);

#ifdef __cplusplus
}
#endif

#endif /* POSENC_C_API_H_ */
