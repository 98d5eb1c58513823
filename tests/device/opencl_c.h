/* OpenCL C for a C compiler: types, functions of work-items, atomics. Work-items run one after another, each until its
 * next barrier, so that an atomic operation is a plain one. */
#ifndef OPENCL_C_H
#define OPENCL_C_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "work.h"

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define VECTOR(type)                                                                                                   \
    typedef type type##2 __attribute__((ext_vector_type(2)));                                                          \
    typedef type type##4 __attribute__((ext_vector_type(4)));                                                          \
    static inline type##2 make_##type##2(type x, type y) {                                                             \
        type##2 made;                                                                                                  \
        made.x = x;                                                                                                    \
        made.y = y;                                                                                                    \
        return made;                                                                                                   \
    }                                                                                                                  \
    static inline type##4 make_##type##4(type x, type y, type z, type w) {                                             \
        type##4 made;                                                                                                  \
        made.x = x;                                                                                                    \
        made.y = y;                                                                                                    \
        made.z = z;                                                                                                    \
        made.w = w;                                                                                                    \
        return made;                                                                                                   \
    }
VECTOR(int)
VECTOR(uint)
VECTOR(ulong)
VECTOR(float)
VECTOR(double)

struct work *work; /* set by who loads this */

#define kernel
#define global
#define local
#define private
#define constant const
#define inline static inline __attribute__((unused))
#define reqd_work_group_size(x, y, z)
#define CLK_LOCAL_MEM_FENCE  1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(fences)      work->barrier()
#define mem_fence(fences)

#define get_local_id(d)    ((size_t)work->local_id)
#define get_group_id(d)    ((size_t)work->group_id)
#define get_num_groups(d)  ((size_t)work->groups)
#define get_local_size(d)  ((size_t)work->size)
#define get_global_id(d)   ((size_t)(work->group_id * work->size + work->local_id))
#define get_global_size(d) ((size_t)(work->groups * work->size))

#define min(a, b)                                                                                                      \
    ({                                                                                                                 \
        __auto_type min_a = (a);                                                                                       \
        __typeof__(min_a) min_b = (b);                                                                                 \
        min_a < min_b ? min_a : min_b;                                                                                 \
    })
#define max(a, b)                                                                                                      \
    ({                                                                                                                 \
        __auto_type max_a = (a);                                                                                       \
        __typeof__(max_a) max_b = (b);                                                                                 \
        max_a > max_b ? max_a : max_b;                                                                                 \
    })
#define popcount(x) ((uint)__builtin_popcount(x))
#define clz(x)      ((x) ? (uint)__builtin_clz(x) : 32u)
#define isfinite(x) __builtin_isfinite(x)

/* The same bits as another type. */
#define SAME_BITS(from, to)                                                                                            \
    static inline __attribute__((unused)) to as_##to##_of_##from(from value) {                                         \
        to same;                                                                                                       \
        __builtin_memcpy(&same, &value, sizeof same);                                                                  \
        return same;                                                                                                   \
    }
#undef inline
SAME_BITS(ulong, double)
SAME_BITS(double, ulong)
SAME_BITS(uint, float)
SAME_BITS(float, uint)
#define inline static inline __attribute__((unused))
#define as_ulong(x)  as_ulong_of_double(x)
#define as_double(x) as_double_of_ulong(x)
#define as_uint(x)   as_uint_of_float(x)
#define as_float(x)  as_float_of_uint(x)

/* An operation that returns what was there before. */
#define ATOMIC(p, value)                                                                                               \
    ({                                                                                                                 \
        __auto_type the_place_ = (p);                                                                                  \
        __typeof__(*the_place_ + 0) was_there_ = *the_place_;                                                          \
        *the_place_ = (value);                                                                                         \
        was_there_;                                                                                                    \
    })
#define atomic_add(p, x)               ATOMIC(p, was_there_ + (x))
#define atomic_sub(p, x)               ATOMIC(p, was_there_ - (x))
#define atomic_inc(p)                  ATOMIC(p, was_there_ + 1)
#define atomic_dec(p)                  ATOMIC(p, was_there_ - 1)
#define atomic_or(p, x)                ATOMIC(p, was_there_ | (x))
#define atomic_and(p, x)               ATOMIC(p, was_there_ &(x))
#define atomic_xchg(p, x)              ATOMIC(p, (x))
#define atomic_min(p, x)               ATOMIC(p, was_there_ < (x) ? was_there_ : (x))
#define atomic_max(p, x)               ATOMIC(p, was_there_ > (x) ? was_there_ : (x))
#define atomic_cmpxchg(p, expected, x) ATOMIC(p, was_there_ == (expected) ? (x) : was_there_)
#define atom_add                       atomic_add
#define atom_min                       atomic_min
#define atom_max                       atomic_max
#define atom_or                        atomic_or
#define atom_xchg                      atomic_xchg
#define atom_cmpxchg                   atomic_cmpxchg

/* Loads, where they are counted. */
#define COUNTED(bytes)                                                                                                 \
    void __sanitizer_cov_load##bytes(void *from);                                                                      \
    __attribute__((no_sanitize("coverage"))) void __sanitizer_cov_load##bytes(void *from) {                            \
        if (work->load) work->load(__builtin_return_address(0), from);                                                 \
    }
COUNTED(1)
COUNTED(2)
COUNTED(4)
COUNTED(8)
COUNTED(16)

#endif
