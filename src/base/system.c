/* How much memory the system can give: what is free, and what the cgroups of this process allow.
 *
 * In a cgroup the page cache counts as use, although it goes when memory is needed: after reading a large file all
 * would seem used. So the cache is taken off. */
#define _GNU_SOURCE
#include "base/ctx.h"

#include <stdlib.h>
#include <string.h>

#define PATH_TEXT 4096

/* The number after `key` at the start of a line of root/folder/name; `missing` where there is none. */
static uint64_t number_in_file(const char *root, const char *folder, const char *name, const char *key,
                               uint64_t missing) {
    char path[3 * PATH_TEXT], line[256];
    snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    FILE *file = fopen(path, "re");
    if (!file) return missing;
    uint64_t found = missing;
    while (fgets(line, sizeof line, file)) {
        char *text = line + strlen(key), *end;
        if (strncmp(line, key, strlen(key)) != 0) continue;
        uint64_t number = strtoull(text, &end, 10);
        if (end != text) found = number; /* "max" is no number */
        break;
    }
    fclose(file);
    return found;
}

/* The files of the two versions of cgroups. */
typedef struct cgroup_files {
    const char *mount, *limit, *used, *cache[2];
} cgroup_files;

static const cgroup_files first_version = {"/sys/fs/cgroup/memory",
                                           "memory.limit_in_bytes",
                                           "memory.usage_in_bytes",
                                           {"total_inactive_file ", "total_active_file "}};
static const cgroup_files second_version = {
    "/sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file ", "active_file "}};

/* What the group at mount/path and the groups around it leave. Inside a container the path may be one of the host
 * that does not exist here; the groups around it then do. */
static uint64_t left_in_cgroup(const char *root, const cgroup_files *files, const char *path) {
    char folder[2 * PATH_TEXT];
    uint64_t left = UINT64_MAX;
    size_t mount = strlen(files->mount);
    snprintf(folder, sizeof folder, "%s%s", files->mount, strcmp(path, "/") == 0 ? "" : path);
    for (;;) {
        uint64_t limit = number_in_file(root, folder, files->limit, "", UINT64_MAX);
        if (limit != UINT64_MAX) {
            uint64_t used = number_in_file(root, folder, files->used, "", 0), cache = 0;
            for (int i = 0; i < 2; i++) cache += number_in_file(root, folder, "memory.stat", files->cache[i], 0);
            used -= MG_MIN(used, cache);
            left = MG_MIN(left, limit - MG_MIN(limit, used));
        }
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < mount) return left;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup is number:controllers:path; the second version has number 0 and no controllers. */
static uint64_t left_in_cgroups(const char *root) {
    char path[2 * PATH_TEXT], line[PATH_TEXT];
    uint64_t left = left_in_cgroup(root, &second_version, "/");
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    if (!file) return left;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group || group[1] != '/') continue;
        *group++ = '\0';
        uint64_t here = UINT64_MAX;
        if (strcmp(line, "0:") == 0) here = left_in_cgroup(root, &second_version, group);
        else if (strcmp(controllers + 1, "memory") == 0) here = left_in_cgroup(root, &first_version, group);
        left = MG_MIN(left, here);
    }
    fclose(file);
    return left;
}

uint64_t mg_system_memory(const char *root) {
    const uint64_t unknown = (uint64_t)4 << 20, least = (uint64_t)64 << 20; /* kB; bytes */
    uint64_t available = number_in_file(root, "/proc", "meminfo", "MemAvailable:", unknown) * 1024;
    return MG_MAX(MG_MIN(available, left_in_cgroups(root)), least);
}
