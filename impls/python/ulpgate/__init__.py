"""Whether an RMSNorm kernel computes what its contract says, from Python. There is no tolerance.

    import torch, ulpgate

    def rms_norm(x, w, eps):
        return torch.nn.functional.rms_norm(x, x.shape[-1:], w, eps)

    report = ulpgate.check(rms_norm, contract="cast_first")
    print(report)             # verdict, first failing element, what it computes instead, how to replay it
    assert report             # true where every output is one that the contract allows

``check`` calls any function of tensors; ``ulpgate.testing.assert_admissible`` is the same as an assertion, on a function or on
arrays that are already there. ``python -m ulpgate`` is the command line.
"""
from ._check import check, explain, replay
from ._report import Explanation, Mismatch, Report, Witness
from ._subject import Refused, kernel

__all__ = ["Explanation", "Mismatch", "Refused", "Report", "Witness", "check", "explain", "kernel", "replay"]
