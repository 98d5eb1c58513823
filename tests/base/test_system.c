/* What the system can give, on machines that are a folder of files: bare, in containers, with both kinds of cgroups. */
#define _GNU_SOURCE
#include "support/unit.h"

#include "base/ctx.h"

#include <sys/stat.h>

#define GB ((uint64_t)1 << 30)

static void write_file(const char *root, const char *path, const char *text) {
    char name[4 * FOLDER_TEXT];
    snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = strchr(name + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(name, 0700);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#define MEMINFO_8GB "MemTotal:       16777216 kB\nMemFree:  1000 kB\nMemAvailable:    8388608 kB\nBuffers: 1 kB\n"

static void bare_machine(void **state) {
    (void)state;
    char root[FOLDER_TEXT];
    folder_new(root);
    assert_int_equal(mg_system_memory(root), 4 * GB); /* nothing is known */
    write_file(root, "/proc/meminfo", MEMINFO_8GB);
    assert_int_equal(mg_system_memory(root), 8 * GB);
    write_file(root, "/proc/self/cgroup", "0::/\n");
    assert_int_equal(mg_system_memory(root), 8 * GB);
    write_file(root, "/proc/meminfo", "MemAvailable: 12 kB\n");
    assert_int_equal(mg_system_memory(root), 64 << 20); /* enough to begin with, at least */
    folder_remove(root);
}

static void container_with_a_limit(void **state) {
    (void)state;
    char root[FOLDER_TEXT];
    folder_new(root);
    write_file(root, "/proc/meminfo", MEMINFO_8GB);
    write_file(root, "/proc/self/cgroup", "0::/\n");
    write_file(root, "/sys/fs/cgroup/memory.max", "max\n");
    write_file(root, "/sys/fs/cgroup/memory.current", "1073741824\n");
    assert_int_equal(mg_system_memory(root), 8 * GB);
    write_file(root, "/sys/fs/cgroup/memory.max", "4294967296\n");
    assert_int_equal(mg_system_memory(root), 3 * GB);
    /* What is page cache is not really used: "file" itself contains more, such as shared memory. */
    write_file(root, "/sys/fs/cgroup/memory.stat",
               "anon 100\nfile 999999999\ninactive_anon 5\ninactive_file 536870912\nactive_file 268435456\n");
    assert_int_equal(mg_system_memory(root), 3 * GB + GB / 2 + GB / 4);
    write_file(root, "/sys/fs/cgroup/memory.current", "5000000000\n"); /* over the limit */
    write_file(root, "/sys/fs/cgroup/memory.stat", "inactive_file 0\n");
    assert_int_equal(mg_system_memory(root), 64 << 20);
    folder_remove(root);
}

/* systemd-run -p MemoryMax=…: the limit is in the group of the process or in one around it. */
static void group_inside_groups(void **state) {
    (void)state;
    char root[FOLDER_TEXT];
    folder_new(root);
    write_file(root, "/proc/meminfo", MEMINFO_8GB);
    write_file(root, "/proc/self/cgroup", "0::/user.slice/my:unit.scope\n");
    write_file(root, "/sys/fs/cgroup/user.slice/my:unit.scope/memory.max", "max\n");
    write_file(root, "/sys/fs/cgroup/user.slice/memory.max", "2147483648\n");
    write_file(root, "/sys/fs/cgroup/user.slice/memory.current", "0\n");
    assert_int_equal(mg_system_memory(root), 2 * GB);
    write_file(root, "/sys/fs/cgroup/user.slice/my:unit.scope/memory.max", "1073741824\n");
    assert_int_equal(mg_system_memory(root), 1 * GB);
    folder_remove(root);
}

static void first_version_of_cgroups(void **state) {
    (void)state;
    char root[FOLDER_TEXT];
    folder_new(root);
    write_file(root, "/proc/meminfo", MEMINFO_8GB);
    write_file(root, "/proc/self/cgroup", "9:name=systemd:/\n4:memory:/docker/abc\n1:cpu:/docker/abc\n0::/\n");
    /* The path is one of the host; here only the mount itself is seen. */
    write_file(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write_file(root, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "12345\n");
    assert_int_equal(mg_system_memory(root), 8 * GB);
    write_file(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "3221225472\n");
    write_file(root, "/sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n");
    write_file(root, "/sys/fs/cgroup/memory/memory.stat", "inactive_file 7\ntotal_inactive_file 536870912\n");
    assert_int_equal(mg_system_memory(root), 2 * GB + GB / 2);
    folder_remove(root);
}

/* The machine that runs this. */
static void this_machine(void **state) {
    (void)state;
    uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t available = mg_system_memory("");
    assert_true(available >= (uint64_t)64 << 20);
    assert_true(available <= MG_MAX(all, (uint64_t)64 << 20));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bare_machine),        cmocka_unit_test(container_with_a_limit),
        cmocka_unit_test(group_inside_groups), cmocka_unit_test(first_version_of_cgroups),
        cmocka_unit_test(this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
