#!/usr/bin/env python3
"""Prints the coefficients of the polynomials in src/sincos-inl.h, as hexadecimal doubles.

S(v) interpolates (sin(pi/4 u)/u - pi/4) / v and C(v) (cos(pi/4 u) - 1) / v, v = u^2, at Chebyshev's nodes in [0, 1], in
exact rational arithmetic; pi is Machin's. The error printed is that of the rounded coefficients. Then the Taylor
coefficients (pi/4)^n / n! as sums of two doubles. Needs nothing but Python.
"""
from fractions import Fraction as F
import math
def arctan_inv(x):
    one=10**90; t=one//x; s=t; n=3; sign=-1
    while t: t//=x*x; s+=sign*(t//n); n+=2; sign=-sign
    return s
PI=F(4*(4*arctan_inv(5)-arctan_inv(239)),10**90)
q=PI/4
def series(parity,v):  # sin(q u)/u or cos(q u), v=u^2
    s=F(0); term=q if parity else F(1); n=1 if parity else 0
    for i in range(24):
        s+=term; n+=2; term=-term*q*q*v/(n*(n-1))
        term=F(int(term*2**300),2**300)
    return s
def cheb_nodes(n):
    out=[]
    for i in range(n):
        c=math.cos(math.pi*(2*i+1)/(2*n)); out.append((F(c)+1)/2)
    return out
def interp(f,n):
    xs=cheb_nodes(n); ys=[f(x) for x in xs]
    # newton
    c=ys[:]
    for j in range(1,n):
        for i in range(n-1,j-1,-1): c[i]=(c[i]-c[i-1])/(xs[i]-xs[i-j])
    poly=[F(0)]
    for i in range(n-1,-1,-1):
        new=[F(0)]*(len(poly)+1)
        for k,a in enumerate(poly): new[k+1]+=a; new[k]-=a*xs[i]
        new[0]+=c[i]; poly=new
    return poly[:n]
def report(name, parity, n):
    f=lambda v: series(parity,v)
    # fix constant term: interpolate (f(v)-c0)/v with c0 exact
    c0=q if parity else F(1)
    g=lambda v: (f(v)-c0)/v
    p=interp(g,n)
    co=[float(a) for a in p]
    worst=0
    for i in range(1,400):
        v=F(i,400); e=c0+v*sum(F(a)*v**k for k,a in enumerate(co))-f(v)
        if parity: e*=F(math.sqrt(float(v)))
        worst=max(worst,abs(e))
    print(name,n,"terms beyond the first; error 2^%.1f"%math.log2(float(worst)))
    for a in co: print('   ',a.hex())


report("sin", 1, 6)
report("cos", 0, 7)
power = F(1)
for n in range(28):
    if n:
        power = power * q / n
    value = power if n // 2 % 2 == 0 else -power
    high = float(value)
    print(n, high.hex(), float(value - F(high)).hex())
