/* libmeguri: graph traversal. This header is the whole public interface; docs/map.md is the map of the source. */
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
#include <meguri/escape.h>
#include <meguri/gen.h>
#include <meguri/graph.h>
#include <meguri/graph500.h>
#include <meguri/io.h>
#include <meguri/json.h>
#include <meguri/list.h>
#include <meguri/overview.h>
#include <meguri/pagerank.h>
#include <meguri/partition.h>
#include <meguri/path.h>
#include <meguri/path_pairs.h>
#include <meguri/path_writer.h>
#include <meguri/pregel.h>
#include <meguri/pregel_abi.h>
#include <meguri/pregel_kernel.h>
#include <meguri/report.h>
#include <meguri/result.h>
#include <meguri/rows.h>
#include <meguri/run.h>
#include <meguri/sssp.h>
#include <meguri/status.h>
#include <meguri/table.h>
#include <meguri/triangles.h>
#include <meguri/version.h>
#include <meguri/words.h>

#endif
