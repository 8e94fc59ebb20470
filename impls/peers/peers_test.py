#!/usr/bin/env python3
"""What peers.py calls wrong, and what its page says of it; no package is needed."""
import unittest

import peers


def row(**changes):
    return {"name": "K", "type": "bf16", "says": "cast_first", "source": "k.c:1", "known": "", "verdict": "pass", "claim": "bf16,cast_first", "rows": 8,
            "what": "row 0 col 1", **changes}


class Wrong(unittest.TestCase):
    def test_a_kernel_that_keeps_what_its_source_says(self):
        self.assertEqual(peers.wrong(row()), "")
        self.assertEqual(peers.wrong(row(verdict="skipped")), "")
        self.assertEqual(peers.wrong(row(type="f32", says="f32_gain", claim="f32,cast_first")), "")  # the same map in f32
        self.assertEqual(peers.wrong(row(type="f32", claim="f32,f32_gain,assoc=xr_w")), "")

    def test_another_contract_than_its_source_says(self):
        self.assertIn("computes bf16,f32_gain, its source says cast_first", peers.wrong(row(claim="bf16,f32_gain")))
        self.assertIn("its source says", peers.wrong(row(type="f32", claim="f32,f32_gain,assoc=x_rw")))

    def test_a_refusal_that_nobody_explained(self):
        self.assertIn("not explained: row 0 col 1", peers.wrong(row(verdict="inadmissible")))
        self.assertEqual(peers.wrong(row(verdict="inadmissible", known="line 7")), "")
        self.assertIn("crashed", peers.wrong(row(verdict="crashed")))

    def test_an_explanation_that_no_longer_holds(self):
        self.assertIn("is said to fail", peers.wrong(row(known="line 7")))
        elsewhere = {"flags": ["--d", "8"], "why": "", "verdict": "inadmissible", "claim": "bf16", "rows": 8}
        self.assertIn("its source says", peers.wrong(row(verdict="inadmissible", known="line 7", elsewhere=elsewhere)))

    def test_the_page_counts(self):
        rows = [row(order={"words": "serial", "models": ["model/m"], "equal": 3, "replayed": 3}), row(verdict="inadmissible"), row(verdict="skipped", why="no torch")]
        text = peers.page([{"module": "k", "version": "k 1", "skipped": "", "rows": rows}, {"module": "l", "version": "", "skipped": "No module named 'l'", "rows": []}], "now")
        for said in ("2 judged", "1 as their source says or with each refusal explained, 1 not; 1 skipped", "in every row tried: 1 of the 1 asked",
                     "NOT EXPLAINED", "3 of 3 rows: `model/m`", "- K, bf16: no torch", "- l: No module named 'l'"):
            self.assertIn(said, text)


if __name__ == "__main__":
    unittest.main()
