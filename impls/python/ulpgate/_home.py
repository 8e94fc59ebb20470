"""Where the programs and kernels of the package lie."""
import os

HOME = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin")
