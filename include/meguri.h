/* libmeguri: graph traversal. The interface that is kept from version to version; meguri/extra/ and vertex programs
 * (meguri/run.h, meguri/pregel.h) are included by name, and may change (docs/linking.md). */
#ifndef MEGURI_MAIN_H
#define MEGURI_MAIN_H

#include <meguri/betweenness.h>
#include <meguri/bfs.h>
#include <meguri/builder.h>
#include <meguri/cluster.h>
#include <meguri/clustering.h>
#include <meguri/columns.h>
#include <meguri/communities.h>
#include <meguri/components.h>
#include <meguri/context.h>
#include <meguri/cores.h>
#include <meguri/db.h>
#include <meguri/device.h>
#include <meguri/gen.h>
#include <meguri/graph.h>
#include <meguri/io.h>
#include <meguri/pagerank.h>
#include <meguri/partition.h>
#include <meguri/path.h>
#include <meguri/result.h>
#include <meguri/rows.h>
#include <meguri/sink.h>
#include <meguri/sssp.h>
#include <meguri/status.h>
#include <meguri/triangles.h>
#include <meguri/types.h>
#include <meguri/version.h>

#endif
