/* What all kernels share; it goes before every text. WIDTH: work-items of a team; GROUP: of a work-group; IN_TURNS: those
 * of a group are one thread's, which does one after another (a CPU), so that each barrier costs a loop over them. */

#define NONE 0xffffffffu /* no vertex */

/* The sum of the values of the work-items before this one in its group; *total is that of all. `scratch` has GROUP
 * words; it may be used again at once. All work-items call it. */
inline uint group_exscan(uint value, local uint *scratch, private uint *total) {
    const uint me = get_local_id(0);
    scratch[me] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef IN_TURNS
    if (me == 0)
        for (uint i = 1; i < GROUP; i++) scratch[i] += scratch[i - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    for (uint reach = 1; reach < GROUP; reach *= 2) {
        uint before = me >= reach ? scratch[me - reach] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        scratch[me] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    uint sum = scratch[me];
    *total = scratch[GROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum - value;
}

/* The sum of the values of a group of `size` work-items, for all of it; the same rules. */
inline uint sum_of(uint value, local uint *scratch, const uint size) {
    const uint me = get_local_id(0);
    scratch[me] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef IN_TURNS
    if (me == 0)
        for (uint i = 1; i < size; i++) scratch[0] += scratch[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    for (uint half_of = size / 2; half_of > 0; half_of /= 2) {
        if (me < half_of) scratch[me] += scratch[me + half_of];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#endif
    uint sum = scratch[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

#define group_sum(value, scratch) sum_of(value, scratch, GROUP)

/* Adds to a number of 64 bits in two words, the lower one first, by several at once: whoever makes the lower word
 * overflow carries. OpenCL 1.2 promises no atomic operations on 64 bits. */
inline void add_long(volatile global uint *words, uint value) {
    if (value && atomic_add(&words[0], value) > NONE - value) atomic_inc(&words[1]);
}

/* A word that others may be changing by atomic operations. Reading it as it is costs least, and is right as long as an
 * old value does no harm; EXACT_READS is for checkers that report such reads. */
#ifdef EXACT_READS
#define PEEK(p) atomic_or((p), 0)
#else
#define PEEK(p) (*(p))
#endif
