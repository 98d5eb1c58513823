/* The checkers, of plain arrays: so that tests can hand them wrong ones. */
#ifndef CHECKS_H
#define CHECKS_H

#include "algo/betweenness/betweenness.h"
#include "algo/bfs/bfs.h"
#include "algo/clustering/clustering.h"
#include "algo/communities/communities.h"
#include "algo/components/components.h"
#include "algo/pagerank/pagerank.h"
#include "algo/sssp/sssp.h"
#include "algo/triangles/triangles.h"

#endif
