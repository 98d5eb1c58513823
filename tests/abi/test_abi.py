"""The check of the interface, tried on lists that differ: test_abi.py COMPILER."""
import sys
import unittest

import abi

COMPILER = sys.argv.pop(1)
NEW, FUNCTIONS, STRUCTS = abi.interface(COMPILER)


class Interface(unittest.TestCase):
    def differs(self, old, words):
        found = list(abi.faults(old, NEW, STRUCTS))
        self.assertTrue(any(words in fault for fault in found), (words, found))

    def changed(self, begin, old, new):
        lines = [line.replace(old, new, 1) if line.startswith(begin) else line for line in NEW]
        self.assertNotEqual(lines, NEW)
        return lines

    def test_same(self):
        self.assertEqual(list(abi.faults(NEW, NEW, STRUCTS)), [])

    def test_function(self):
        self.differs(NEW + ["function void meguri_gone(void)"], "gone or changed: function void meguri_gone")
        self.differs(self.changed("function void meguri_graph_free", "meguri_graph *graph", "meguri_graph *g, int how"),
                     "gone or changed: function void meguri_graph_free")

    def test_enumerator(self):
        self.differs(self.changed("enum meguri_status MEGURI_CANCELLED", "= ", "= 1"), "gone or changed: enum")

    def test_member(self):
        lines = [line for line in NEW if line.startswith("struct meguri_rows ")]
        self.differs(NEW + ["struct meguri_rows 4 int moved"], "gone or changed: struct meguri_rows 4")
        # Inserted: the list lacks a member before its last one. Appended: it lacks the last one.
        self.differs([line for line in NEW if line != lines[3]], "a new member is not at the end")
        found = list(abi.faults([line for line in NEW if line != lines[-1]], NEW, STRUCTS))
        self.assertEqual(found, [f"not in the list yet (make interface): {lines[-1]}"])

    def test_struct_without_a_size(self):
        structs = {**STRUCTS, "meguri_rows": STRUCTS["meguri_rows"][1:]}
        lines = [line for line in NEW if line.startswith("struct meguri_rows ")]
        found = list(abi.faults([line for line in NEW if line != lines[-1]], NEW, structs))
        self.assertIn(f"a struct without a size has grown: {lines[-1]}", found)


if __name__ == "__main__":
    unittest.main()
