/* The algorithms whose answer is for the whole graph and that need all of it in one process: a row for each, from which
 * tests try it with wrong arguments (tests/arguments), with a graph in parts, and with damaged files (tests/meg). */
#ifndef TEST_ALGORITHMS_H
#define TEST_ALGORITHMS_H

/* X(name): meguri_NAME(out, ctx, graph, meguri_NAME_options) and meguri_NAME_check. */
#define WHOLE_ALGORITHMS(X)                                                                                            \
    X(triangles)                                                                                                       \
    X(clustering)                                                                                                      \
    X(communities)                                                                                                     \
    X(cores)

#endif
