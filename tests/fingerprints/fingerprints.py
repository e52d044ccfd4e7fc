#!/usr/bin/env python3
"""Prints fingerprints.inc: what other programs compute, each by its own formula, at 60 digits, printed to 17.

Nothing of posenc is in it: the formulas are those of the peers' sources, loop for loop, with exact arithmetic in place
of their floats. Only the standard library is needed.
"""

from decimal import Decimal, ROUND_CEILING, ROUND_FLOOR, getcontext
from textwrap import fill

getcontext().prec = 60
D = Decimal
PI = D("3.141592653589793238462643383279502884197169399375105820974944592307816406")


def sin(x):
    """Taylor series; below |x| = 600, 300 digits less than those lost to cancellation are left."""
    context = getcontext()
    context.prec += 300
    term, total, n = x, D(0), 1
    while abs(term) > D(10) ** -80:
        total += term
        term = -term * x * x / ((n + 1) * (n + 2))
        n += 2
    context.prec -= 300
    return +total


def cos(x):
    context = getcontext()
    context.prec += 300
    term, total, n = D(1), D(0), 0
    while abs(term) > D(10) ** -80:
        total += term
        term = -term * x * x / ((n + 1) * (n + 2))
        n += 2
    context.prec -= 300
    return +total


def text(x):
    """17 significant digits without trailing zeros."""
    context = getcontext()
    context.prec, saved = 17, context.prec
    rounded = (+x).normalize()
    context.prec = saved
    return str(rounded).replace("E", "e") if rounded else "0"


def pairs(angles):
    return [f(a) for a in angles for f in (sin, cos)]


def sin_cos(angles):
    return [sin(a) for a in angles] + [cos(a) for a in angles]


def cos_sin(angles):
    return [cos(a) for a in angles] + [sin(a) for a in angles]


def paper(p, d, base=D(10000)):
    """PE(p, 2i) = sin(p / base^(2i/d)), PE(p, 2i+1) = cos of the same; an odd d ends with a sine."""
    return pairs([p / base ** (D(2 * i) / d) for i in range((d + 1) // 2)])[:d]


def exclusive(p, d, base=D(10000)):
    return [p * base ** (-D(k) / (d // 2)) for k in range(d // 2)]


def timing_signal(p, channels, min_timescale=D(1), max_timescale=D(10000)):
    """get_timing_signal_1d of tensor2tensor, before it is put in order."""
    count = channels // 2
    increment = (max_timescale / min_timescale).ln() / (count - 1)
    return [p * min_timescale * (-increment * k).exp() for k in range(count)]


def mlx(x, dims, min_freq=D("0.0001"), max_freq=D(1), scale=None, cos_first=False, full_turns=False):
    one_zero = [1 - D(k) / (dims // 2 - 1) for k in range(dims // 2)]
    sigmas = [(r * (max_freq.ln() - min_freq.ln()) + min_freq.ln()).exp() * (2 * PI if full_turns else 1)
              for r in one_zero]
    scale = (D(2) / dims).sqrt() if scale is None else scale
    return [scale * v for v in (cos_sin if cos_first else sin_cos)([x * s for s in sigmas])]


def hf_marian(p, d):
    """position_enc[:, 0:sentinel] = sin(enc[:, 0::2]), the rest cos(enc[:, 1::2])."""
    angle = [p / D(10000) ** (D(2 * (j // 2)) / d) for j in range(d)]
    return [sin(a) for a in angle[0::2]] + [cos(a) for a in angle[1::2]]


def detr(value, num_pos_feats, temperature=D(10000)):
    dim_t = [temperature ** (D(2 * (j // 2)) / num_pos_feats) for j in range(num_pos_feats)]
    return [(sin if j % 2 == 0 else cos)(value / dim_t[j]) for j in range(num_pos_feats)]


def inv_freq(d, base):
    return [1 / base ** (D(2 * k) / d) for k in range(d // 2)]


def rotate(style):
    x, d = [D(i) for i in range(1, 9)], 8
    angle = [3 * w for w in inv_freq(d, D(10000))]
    out = list(x)
    for k in range(d // 2):
        i, j = (2 * k, 2 * k + 1) if style == "interleaved" else (k, k + d // 2)
        out[i] = x[i] * cos(angle[k]) - x[j] * sin(angle[k])
        out[j] = x[i] * sin(angle[k]) + x[j] * cos(angle[k])
    return out


def llama3(ks, d=128, base=D(500000), factor=8, low=1, high=4, original=8192):
    out = []
    for k in ks:
        w = inv_freq(d, base)[k]
        wavelength = 2 * PI / w
        if wavelength > D(original) / low:
            out.append(w / factor)
        elif wavelength < D(original) / high:
            out.append(w)
        else:
            smooth = (original / wavelength - low) / (high - low)
            out.append((1 - smooth) * w / factor + smooth * w)
    return out


def yarn(ks, d=128, base=D(10000), factor=4, original=2048, beta_fast=32, beta_slow=1):
    def dimension(rotations):
        return d * (original / (rotations * 2 * PI)).ln() / (2 * base.ln())

    low = max(dimension(beta_fast).to_integral_value(ROUND_FLOOR), 0)
    high = min(dimension(beta_slow).to_integral_value(ROUND_CEILING), d - 1)
    out = []
    for k in ks:
        w = inv_freq(d, base)[k]
        ramp = min(max((D(k) - low) / (high - low), D(0)), D(1))
        out.append(w / factor * ramp + w * (1 - ramp))
    return out


def marian_nmt(p, d):
    """Element i of a row: sine for i < floor(d/2), else cosine, of frequency i % floor(d/2), with a real d/2 - 1."""
    n, increment = d // 2, D(10000).ln() / (D(d) / 2 - 1)
    return [(sin if i < n else cos)(p * (-(i % n) * increment).exp()) for i in range(d)]


def fingerprints():
    three = D(3)
    for d in (6, 8):
        yield f"paper_interleaved_d{d}_p3", paper(three, d)
        yield f"t2t_split_inclusive_d{d}_p3", sin_cos(timing_signal(three, d))
        yield f"split_exclusive_d{d}_p3", sin_cos(exclusive(three, d))
        yield f"openai_timestep_cosfirst_d{d}_p3", cos_sin(exclusive(three, d))
        yield f"edm_endpoint_d{d}_p3", cos_sin(timing_signal(three, d))
        yield f"mlx_default_d{d}_p3", mlx(three, d)
        yield f"xtransformers_scaled_d{d}_p3", [v / D(d).sqrt() for v in sin_cos(exclusive(three, d))]
    yield "odd_d7_p3_paper_keras_xlm(drop_cos)", paper(three, 7)
    yield "odd_d7_p3_t2t_fairseq(zero)", sin_cos(timing_signal(three, 7)) + [D(0)]
    yield "odd_d7_p3_hf_marian(ceil_sin|floor_cos)", hf_marian(three, 7)
    yield "odd_d7_p3_openai_ggml(zero)", cos_sin(exclusive(three, 7)) + [D(0)]
    yield "odd_d7_p3_marian_nmt(wrap: NOT expressible)", marian_nmt(three, 7)
    yield "diffusers_scale1000_t0.5_d8_flip_shift0", cos_sin(exclusive(D("0.5") * 1000, 8))
    yield "t2t_min2_max100_d8_p3 (bug-compatible)", sin_cos(timing_signal(three, 8, D(2), D(100)))
    yield "mlx_fullturns_cosfirst_scale1_d8_x0.3", mlx(D("0.3"), 8, scale=D(1), cos_first=True, full_turns=True)
    yield "negative_p-3_paper_d8", paper(-three, 8)
    funasr = timing_signal(three, 560)
    yield "funasr_d560_row2", [f(funasr[k]) for f in (sin, cos) for k in (0, 1, 2, 279)]
    yield "tcnn_frequency_n4_x0.3", pairs([D("0.3") * 2**k * PI for k in range(4)])
    yield "nerf_L4_x0.3_noinput", pairs([D("0.3") * 2**k for k in range(4)])
    caffe2 = [three / D(10000) ** (D(j) / 8) for j in range(8)]
    yield ("caffe2_d8_p3 (per-channel frequency; NOT expressible with one freq per pair)",
           [(sin if j % 2 == 0 else cos)(a) for j, a in enumerate(caffe2)])
    one, two = D(1), D(2)
    yield "mae_2d_d16_x2_y1", sin_cos(exclusive(two, 8)) + sin_cos(exclusive(one, 8))
    yield "bigvision_2d_d16_x2_y1", sin_cos(timing_signal(two, 8)) + sin_cos(timing_signal(one, 8))
    yield "timm_2d_interleaveflag_d16_h1_w2", sin_cos(exclusive(one, 8)) + sin_cos(exclusive(two, 8))
    yield ("timm_2d_default_d16_h1_w2",
           [f(a) for f in (sin, cos) for p in (one, two) for a in exclusive(p, 8)])
    yield "detr_sine_npf8_y2_x3 (cumsum positions, channels [y|x])", detr(two, 8) + detr(three, 8)
    eps = D("0.000001")
    yield ("detr_sine_normalized_npf8_y2of4_x3of5",
           detr(2 / (4 + eps) * 2 * PI, 8) + detr(3 / (5 + eps) * 2 * PI, 8))
    yield ("deformable_detr_npf8_y2of4_x3of5",
           detr(D("1.5") / (4 + eps) * 2 * PI, 8) + detr(D("2.5") / (5 + eps) * 2 * PI, 8))
    yield "espnet_rel_T3_d4_rows(+2..-2)", [v for p in (2, 1, 0, -1, -2) for v in paper(D(p), 4)]
    yield "rope_inv_freq_d8", inv_freq(8, D(10000))
    yield "rope_cos_d8_p3", [cos(a) for a in exclusive(three, 8)]
    yield "rope_sin_d8_p3", [sin(a) for a in exclusive(three, 8)]
    yield "rope_rotate_1..8_p3_interleaved(GPT-J,ggml NORMAL,MLX traditional)", rotate("interleaved")
    yield "rope_rotate_1..8_p3_halves(NeoX,Llama-HF,ggml NEOX)", rotate("halves")
    yield ("flux_matrix_d8_p3 [c,-s,s,c]*4",
           [v for a in exclusive(three, 8) for v in (cos(a), -sin(a), sin(a), cos(a))])
    yield ("llama3.1_inv_freq_d128_theta5e5_f8_lo1_hi4_8192",
           llama3([0, 1, *range(28, 37), 40, 63]))
    yield ("yarn_inv_freq_d128_base1e4_f4_orig2048",
           yarn([0, 1, 16, 20, 21, 24, 28, 32, 40, 45, 46, 63]) + [D("0.1") * D(4).ln() + 1])
    yield "ntk_base_d128_f4", [10000 * D(4) ** (D(128) / 126)]
    yield ("dynamic_ntk_base_d128_f4_seq8192_max2048",
           [10000 * (D(4) * 8192 / 2048 - (4 - 1)) ** (D(128) / 126)])
    yield "longrope_attention_factor_4096->131072", [(1 + D(32).ln() / D(4096).ln()).sqrt()]


def main():
    print("// Printed by fingerprints.py: the key of a peer, and what its formula gives, to 17 digits.")
    for key, values in fingerprints():
        print(f'{{"{key}",')
        print(fill(", ".join(f'"{text(v)}"' for v in values), 118, initial_indent=" {", subsequent_indent="  ") + "}},")


if __name__ == "__main__":
    main()
