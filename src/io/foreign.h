/* Rules by which the content of formats that are not read is recognised (foreign.c has the table). Texts have a line
 * end behind them. */
#ifndef MG_IO_FOREIGN_H
#define MG_IO_FOREIGN_H

#include <stdbool.h>

/* The root element of XML or HTML, without the prefix of its name space: "graphml"; "!html" of an HTML page's first
 * line. Empty: there is none. Returns whether something before it says that this is XML. */
enum { MG_ROOT_TEXT = 32 };
bool mg_xml_root(char root[MG_ROOT_TEXT], const char *text, const char *end);

bool mg_looks_like_gml(const char *text, const char *end);
bool mg_looks_like_pajek(const char *text, const char *end);
bool mg_looks_like_dot(const char *text, const char *end);
bool mg_looks_like_json(const char *text, const char *end);
bool mg_looks_like_rdf(const char *text, const char *end);
bool mg_looks_like_ucinet(const char *text, const char *end);
bool mg_looks_like_gdf(const char *text, const char *end);

bool mg_is_zip(const char *text, const char *end);
bool mg_is_zip_of_excel(const char *text, const char *end);
bool mg_is_zip_of_opendocument(const char *text, const char *end);
bool mg_is_zip_of_numpy(const char *text, const char *end);
bool mg_is_bzip2(const char *text, const char *end);
bool mg_is_compressed(const char *text, const char *end);
bool mg_is_pickle(const char *text, const char *end);
bool mg_is_r(const char *text, const char *end);

#endif
