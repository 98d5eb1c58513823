"""selftest from outside: what it tries where, a library that lies, a device that does not compile, none at all."""
import json
import os
import shutil
import subprocess
import tempfile

from harness import Case, ROOT, SANITIZED, main

NONE = {"OCL_ICD_VENDORS": "/nonexistent"}
EVERYWHERE = {"bfs", "sssp", "pagerank", "components"}

LIE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <meguri.h>
#include <string.h>
meguri_status meguri_components(meguri_result **out, meguri_ctx *ctx, const meguri_graph *graph,
                                const meguri_components_options *options) {
    meguri_status (*honest)(meguri_result **, meguri_ctx *, const meguri_graph *, const meguri_components_options *);
    void *found = dlsym(RTLD_NEXT, "meguri_components");
    memcpy(&honest, &found, sizeof honest);
    meguri_status status = honest(out, ctx, graph, options);
    meguri_column column = {.size = sizeof column};
    if (status == MEGURI_OK && options->engine == MEGURI_ENGINE_HOST &&
        meguri_result_column(&column, *out, "component") == MEGURI_OK && column.count > 5)
        ((uint32_t *)column.data)[4] = 1;
    return status;
}
"""


class Selftest(Case):
    def outcomes(self, text):
        """By engine: what each algorithm came to."""
        return {e["engine"]: {a["name"]: a for a in e["algorithms"]} for e in json.loads(text)["engines"]}

    def test_all_is_well(self):
        self.need(self.json("devices")["devices"], "an OpenCL device")
        found = self.json("selftest")
        self.assertTrue(found["ok"])
        engines = self.outcomes(json.dumps(found))
        self.assertEqual(set(engines), {"host", "cluster", "device"})
        self.assertEqual(set(engines["cluster"]), EVERYWHERE)
        self.assertLess(set(engines["cluster"]), set(engines["host"]))
        self.assertEqual(set(engines["device"]), EVERYWHERE | {"bfs, many", "path"})
        self.assertLess(set(engines["device"]), set(engines["host"]))
        for algorithms in engines.values():
            for outcome in algorithms.values():
                self.assertTrue(outcome["ok"])
                self.assertEqual(outcome["graphs"], found["graphs"])

    def test_a_device_that_is_not_there(self):
        self.need(self.json("devices")["devices"], "an OpenCL device")
        self.bad(5, 'there is no device "absent" here', "selftest", "--device", "absent")

    def test_no_devices(self):
        found = self.json("selftest", env=NONE)
        self.assertTrue(found["ok"])
        self.assertIn("OpenCL", found["no_devices"])
        self.bad(5, "there is no device: ", "selftest", "--device", "gpu", env=NONE)

    def test_does_not_compile(self):
        """A device whose compiler has no barriers."""
        self.need(self.json("devices")["devices"], "an OpenCL device")
        result = self.run_it("selftest", "--device", "0", "--json", env={"MEGURI_KERNEL_OPTIONS": "-D barrier=no-such-thing"})
        self.assertEqual(result.returncode, 1)
        engines = self.outcomes(result.stdout)
        self.assertTrue(engines["host"]["bfs"]["ok"])
        self.assertFalse(engines["device"]["bfs"]["ok"])
        self.assertIn("does not compile", engines["device"]["bfs"]["failure"])

    def test_a_lie(self):
        compiler = shutil.which("cc")
        self.need(compiler, "a C compiler")
        if SANITIZED:
            return  # the sanitizer wants to be the first library
        with tempfile.TemporaryDirectory(prefix="meguri-lie-") as folder:
            code, library = os.path.join(folder, "lie.c"), os.path.join(folder, "lie.so")
            with open(code, "w") as file:
                file.write(LIE)
            subprocess.run([compiler, "-shared", "-fPIC", "-I", os.path.join(ROOT, "include"), "-o", library, code, "-ldl"],
                           check=True)
            result = self.run_it("selftest", env={"LD_PRELOAD": library, **NONE})
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"WRONG", result.stdout)
        self.assertIn(b"components, host: one edge, undirected: vertex 4 is in component 1, not 4.", result.stdout)
        self.assertEqual(result.stderr.count(b"\n"), 1)
        self.assertIn(b"1 algorithm went wrong, the first on one edge", result.stderr)


if __name__ == "__main__":
    main()
