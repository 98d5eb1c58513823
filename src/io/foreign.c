/* Formats that are not read: one table of what they are called, what they are recognised by and what to do about them.
 *
 * A file is one of them by its first bytes (magic), by what its text begins with (a rule), or by the suffix of its
 * name. What is sure counts whatever format was asked for; what is likely, and names, only where the format is to be
 * found. Content is looked at decompressed, so it may be compressed or come through a pipe. */
#include "io/foreign.h"
#include "io/format.h"
#include "io/meg.h"

#include <unistd.h>

typedef struct foreign {
    const char *is;
    const char *suffixes; /* a blank before each */
    const char *magic;    /* NULL: none */
    size_t bytes, at;     /* of the magic; where it stands */
    bool binary;          /* text may begin with the same letters: there must be a zero byte, too */
    const char *root;     /* the root elements of XML, a blank before each */
    bool xml;             /* … or any other */
    bool (*sure)(const char *text, const char *end);   /* no edges look like this */
    bool (*likely)(const char *text, const char *end); /* they do not, unless somebody says so */
    const char *remedy;
} foreign;

#define MAGIC(literal) .magic = literal, .bytes = sizeof(literal) - 1

#define NETWORKX(read)                                                                                                 \
    "convert it, for example with NetworkX: networkx.write_edgelist(networkx." read                                    \
    "(FILE), 'edges.tsv', delimiter='\\t', data=['weight'])"
#define PANDAS(read)      "convert it, for example with pandas: pandas." read "(FILE).to_csv('edges.csv', index=False)"
#define DECOMPRESS(words) "decompress it first (" words ")"

/* The first row that fits counts: zip archives with a name of their own come before all others. */
static const foreign rows[] = {
    {.is = "GraphML", .suffixes = " .graphml", .root = " graphml", .remedy = NETWORKX("read_graphml")},
    {.is = "GEXF", .suffixes = " .gexf", .root = " gexf", .remedy = NETWORKX("read_gexf")},
    {.is = "OSM XML",
     .suffixes = " .osm",
     .root = " osm osmChange",
     .remedy = "it holds ways, not edges: make edges of them, for example with OSMnx (osmnx.graph_from_xml, "
               "osmnx.graph_to_gdfs), and write these as CSV"},
    {.is = "OSM PBF",
     .suffixes = " .pbf",
     MAGIC("\x0a\x09OSMHeader"),
     .at = 4,
     .remedy = "it holds ways, not edges: osmium cat FILE -o map.osm makes OSM XML of it, of which OSMnx makes edges"},
    {.is = "an HTML page",
     .suffixes = " .html .htm",
     .root = " html HTML !html",
     .remedy = "if it was to be data, a server has sent a page instead (an error, a login): download the data again"},
    {.is = "XML",
     .suffixes = " .xml .rdf .kml .gpx .svg .xgmml .graphxml",
     .xml = true,
     .remedy = "write its edges as CSV, a line each: source, target and weight"},
    {.is = "GML", .suffixes = " .gml", .likely = mg_looks_like_gml, .remedy = NETWORKX("read_gml")},
    {.is = "Pajek", .suffixes = " .net .paj .pajek", .likely = mg_looks_like_pajek, .remedy = NETWORKX("read_pajek")},
    {.is = "Graphviz DOT",
     .suffixes = " .dot .gv",
     .likely = mg_looks_like_dot,
     .remedy = "convert it, for example with networkx.nx_pydot.read_dot and networkx.write_edgelist"},
    {.is = "JSON",
     .suffixes = " .json .jsonl .ndjson .geojson",
     .likely = mg_looks_like_json,
     .remedy = "write its edges as CSV, for example with jq: jq -r '.links[] | [.source, .target] | @csv' FILE > "
               "edges.csv"},
    {.is = "RDF triples",
     .suffixes = " .nt .nq .ttl .n3 .trig",
     .likely = mg_looks_like_rdf,
     .remedy = "write subject and object of the triples as CSV, a line each"},
    {.is = "UCINET DL",
     .suffixes = " .dl .vna",
     .likely = mg_looks_like_ucinet,
     .remedy = "write its edges as CSV, for example with Gephi"},
    {.is = "GDF",
     .suffixes = " .gdf",
     .likely = mg_looks_like_gdf,
     .remedy = "write its edges as CSV, for example with Gephi: the lines below edgedef alone"},
    {.is = "LEDA", .suffixes = " .lgr", MAGIC("LEDA.GRAPH"), .remedy = NETWORKX("read_leda")},
    {.is = "TGF", .suffixes = " .tgf", .remedy = "keep the lines below its line # alone: those are the edges"},
    {.is = "graph6", .suffixes = " .g6", MAGIC(">>graph6<<"), .remedy = NETWORKX("read_graph6")},
    {.is = "sparse6", .suffixes = " .s6", MAGIC(">>sparse6<<"), .remedy = NETWORKX("read_sparse6")},
    {.is = "a Parquet file",
     .suffixes = " .parquet .pq",
     MAGIC("PAR1"),
     .binary = true,
     .remedy = PANDAS("read_parquet")},
    {.is = "a Feather or Arrow file",
     .suffixes = " .feather .arrow .ipc",
     MAGIC("ARROW1\0"),
     .remedy = PANDAS("read_feather")},
    {.is = "a Feather file", .suffixes = "", MAGIC("FEA1"), .binary = true, .remedy = PANDAS("read_feather")},
    {.is = "an ORC file", .suffixes = " .orc", MAGIC("ORC"), .binary = true, .remedy = PANDAS("read_orc")},
    {.is = "an Avro file",
     .suffixes = " .avro",
     MAGIC("Obj\x01"),
     .remedy = "convert it to CSV, for example with fastavro and the module csv of Python"},
    {.is = "HDF5", .suffixes = " .h5 .hdf5 .hdf", MAGIC("\x89HDF\r\n\x1a\n"), .remedy = PANDAS("read_hdf")},
    {.is = "an SQLite database",
     .suffixes = " .sqlite .sqlite3 .db .db3 .gpkg",
     MAGIC("SQLite format 3\0"),
     .remedy = "write its edges as CSV: sqlite3 -header -csv FILE 'SELECT source, target FROM edges' > edges.csv"},
    {.is = "an Excel workbook", .suffixes = " .xlsx .xlsm", .sure = mg_is_zip_of_excel, .remedy = "save it as CSV"},
    {.is = "an Excel workbook",
     .suffixes = " .xls",
     MAGIC("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
     .remedy = "save it as CSV"},
    {.is = "a spreadsheet", .suffixes = " .ods", .sure = mg_is_zip_of_opendocument, .remedy = "save it as CSV"},
    {.is = "a NumPy archive",
     .suffixes = " .npz",
     .sure = mg_is_zip_of_numpy,
     .remedy = "of a SciPy matrix: scipy.io.mmwrite('edges.mtx', scipy.sparse.load_npz(FILE))"},
    {.is = "a NumPy array",
     .suffixes = " .npy",
     MAGIC("\x93NUMPY"),
     .remedy = "write its rows as text: numpy.savetxt('edges.el', numpy.load(FILE), fmt='%d')"},
    {.is = "a zip archive",
     .suffixes = " .zip .gephi",
     .sure = mg_is_zip,
     .remedy = DECOMPRESS("unzip FILE") " and name the file that is in it"},
    {.is = "a 7z archive", .suffixes = " .7z", MAGIC("7z\xbc\xaf\x27\x1c"), .remedy = DECOMPRESS("7z x FILE")},
    {.is = "a RAR archive", .suffixes = " .rar", MAGIC("Rar!\x1a\x07"), .remedy = DECOMPRESS("unrar x FILE")},
    {.is = "a tar archive",
     .suffixes = " .tar .tgz .tbz2 .txz",
     MAGIC("ustar"),
     .at = 257,
     .remedy = "unpack it first (tar -xf FILE) and name the file that is in it"},
    {.is = "compressed with bzip2", .suffixes = " .bz2", .sure = mg_is_bzip2, .remedy = DECOMPRESS("bzip2 -d FILE")},
    {.is = "compressed with LZ4", .suffixes = " .lz4", MAGIC("\x04\x22\x4d\x18"), .remedy = DECOMPRESS("lz4 -d FILE")},
    {.is = "compressed with lzip", .suffixes = " .lz", MAGIC("LZIP\x01"), .remedy = DECOMPRESS("lzip -d FILE")},
    {.is = "compressed with compress", .suffixes = " .Z", MAGIC("\x1f\x9d"), .remedy = DECOMPRESS("gzip -d FILE")},
    {.is = "compressed twice", .suffixes = "", .sure = mg_is_compressed, .remedy = "decompress it once"},
    {.is = "a pickle of Python",
     .suffixes = " .pickle .pkl .gpickle",
     .sure = mg_is_pickle,
     .remedy = "write its edges from Python, for example with networkx.write_edgelist or pandas.DataFrame.to_csv"},
    {.is = "a MATLAB file",
     .suffixes = " .mat",
     MAGIC("MATLAB 5.0 MAT-file"),
     .remedy = "write its matrix as Matrix Market: scipy.io.mmwrite('edges.mtx', scipy.io.loadmat(FILE)[NAME])"},
    {.is = "a file of R",
     .suffixes = " .rds .rdata .rda",
     .sure = mg_is_r,
     .remedy = "write its edges from R: write.csv(edges, 'edges.csv', row.names = FALSE)"},
    {.is = "a shapefile",
     .suffixes = " .shp .dbf .shx",
     MAGIC("\x00\x00\x27\x0a"),
     .remedy = "write its edges as CSV, with a column for either end, for example with QGIS"},
    {.is = "a PDF",
     .suffixes = " .pdf",
     MAGIC("%PDF-"),
     .remedy = "it holds pages, not data: look for the data as CSV or text"},
};
enum { ROWS = sizeof rows / sizeof *rows, MEG_BYTES = 8 };

/* ---- which it is ------------------------------------------------------------------------------------------------- */

static bool has_magic(const foreign *row, const char *text, size_t bytes) {
    if (!row->magic || bytes < row->at + row->bytes || memcmp(text + row->at, row->magic, row->bytes) != 0)
        return false;
    return !row->binary || memchr(text, '\0', bytes);
}

/* Whether a list with a blank before each item has this one. */
static bool lists(const char *list, const char *item, size_t length) {
    for (size_t bytes; list && *list; list += bytes + 1) {
        bytes = strcspn(list + 1, " ");
        if (length && bytes == length && memcmp(list + 1, item, length) == 0) return true;
    }
    return false;
}

static const foreign *by_content(const char *text, size_t bytes, bool any_format) {
    char root[MG_ROOT_TEXT];
    const char *end = text + bytes;
    bool xml = mg_xml_root(root, text, end);
    for (const foreign *row = rows; row < rows + ROWS; row++)
        if (has_magic(row, text, bytes) || lists(row->root, root, strlen(root)) || (xml && row->xml) ||
            (row->sure && row->sure(text, end)) || (any_format && row->likely && row->likely(text, end)))
            return row;
    return NULL;
}

static const foreign *by_name(const char *name) {
    size_t length = mg_uncompressed_name(NULL, name);
    for (const foreign *row = rows; row < rows + ROWS; row++)
        for (const char *suffix = row->suffixes; *suffix; suffix += strcspn(suffix + 1, " ") + 1) {
            char one[16];
            snprintf(one, sizeof one, "%.*s", (int)strcspn(suffix + 1, " "), suffix + 1);
            if (mg_ends_with(name, length, one)) return row;
        }
    return NULL;
}

/* ---- refusing it ------------------------------------------------------------------------------------------------- */

static meguri_status refuse_meg(const mg_input *input) {
    if (input->compression != MG_PLAIN)
        return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                       "%s is a compressed .meg file; decompress it, and open it as it is.", input->name);
    return mg_fail(input->ctx, MEGURI_BAD_INPUT,
                   input->random && input->fd != STDIN_FILENO
                       ? "%s is a .meg file already; open it as it is."
                       : "%s is a .meg file, which is mapped into memory; name the file instead.",
                   input->name);
}

bool mg_is_utf16(const char *text, size_t bytes) {
    if (bytes < 2) return false;
    if (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0) return true;
    size_t even = 0, odd = 0, looked = MG_MIN(bytes & ~(size_t)1, (size_t)64);
    for (size_t i = 0; i < looked; i += 2) {
        even += text[i] == 0 && text[i + 1] >= '\t';
        odd += text[i] >= '\t' && text[i + 1] == 0;
    }
    return looked >= 8 && (even == looked / 2 || odd == looked / 2);
}

bool mg_find_foreign(const char **is, const char **remedy, const mg_input *input, bool any_format) {
    const foreign *row = input->head_bytes ? by_content(input->head + MG_PAD, input->head_bytes, any_format) : NULL;
    if (!row) return false;
    *is = row->is;
    *remedy = row->remedy;
    return true;
}

meguri_status mg_refuse_foreign(mg_input *input, bool any_format) {
    const char *text = input->head + MG_PAD;
    size_t bytes = input->head_bytes, begun = MG_MIN(bytes, (size_t)MEG_BYTES);
    meguri_ctx *ctx = input->ctx;
    if (begun >= 4 && memcmp(text, MG_MEG_MAGIC, begun) == 0) return refuse_meg(input);
    const foreign *row = bytes ? by_content(text, bytes, any_format) : NULL;
    if (row)
        return mg_fail(ctx, MEGURI_BAD_INPUT, "%s is %s, which is not read; %s.", input->name, row->is, row->remedy);
    if (mg_is_utf16(text, bytes))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s is UTF-16 text; convert it (for example with iconv -f utf-16 -t utf-8).", input->name);
    if (any_format) row = by_name(input->name);
    if (row)
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s is %s by its name, which is not read; %s. If the name is wrong, the option format says what "
                       "it holds.",
                       input->name, row->is, row->remedy);
    if (bytes && memchr(text, '\0', MG_MIN(bytes, (size_t)MG_FIRST_LOOK)))
        return mg_fail(ctx, MEGURI_BAD_INPUT,
                       "%s holds zero bytes, so it is no text; if it holds binary edges, the option format says which "
                       "(bin32, bin48 or bin64).",
                       input->name);
    return MEGURI_OK;
}
