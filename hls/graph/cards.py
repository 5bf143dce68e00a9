# SPDX-License-Identifier: BSD-2-Clause
"""Where a memory would live on a card: how many blocks of which kind."""
import math
from dataclasses import dataclass

KIBIT = 1024
# The one aspect ratio per depth that uses all 36 Kbit of a BRAM36 as simple dual port (UG573).
BRAM_SHAPES = [(512, 72), (1024, 36), (2048, 18), (4096, 9), (8192, 4), (16384, 2), (32768, 1)]
URAM_SHAPE = (4096, 72)       # UG573
LUT_DEPTH, LUT_GROUP = 64, 7  # RAM64M8: 64 x 7 bits, simple dual port, in the 8 LUTs of a slice (UG574)


@dataclass(frozen=True)
class Card:
    """What the card's device has in all; a shell (PCIe, MAC, memory controller) takes its part."""
    name: str
    device: str
    bram: int        # BRAM36
    uram: int
    dist_mbit: float # distributed RAM, Mbit of 2^20
    far: str         # memory beside the fabric
    far_gib: int
    source: str

    @property
    def lutram(self):
        """LUTs that can be memory."""
        return int(self.dist_mbit * KIBIT * KIBIT) // LUT_DEPTH

    def has(self, kind):
        return {"BRAM": self.bram, "URAM": self.uram, "LUTRAM": self.lutram}[kind]


# Blocks and distributed RAM: AMD XMP103, "UltraScale+ FPGAs Product Selection Guide",
# rows of the devices; memory beside the fabric: the cards' data sheets.
CARDS = [
    Card("U280", "XCU280 (VU37P)", 2016, 960, 36.7, "HBM", 8, "XMP103, DS963"),
    Card("U250", "XCU250 (VU13P)", 2688, 1280, 48.3, "DDR", 64, "XMP103, DS962"),
    Card("U55C", "XCU55C (VU47P)", 2016, 960, 36.7, "HBM", 16, "XMP103, DS978"),
]

# A memory that alone would take more than this share of every kind of block goes off chip.
OFF_CHIP_SHARE = 1 / 4


def bram_blocks(depth, width):
    """Fewest BRAM36, all of one shape."""
    return min(math.ceil(depth / d) * math.ceil(width / w) for d, w in BRAM_SHAPES)


def uram_blocks(depth, width):
    return math.ceil(depth / URAM_SHAPE[0]) * math.ceil(width / URAM_SHAPE[1])


def lutram_luts(depth, width):
    return math.ceil(depth / LUT_DEPTH) * (width + math.ceil(width / LUT_GROUP))


@dataclass(frozen=True)
class Place:
    kind: str    # BRAM, URAM, LUTRAM, or the card's memory beside the fabric
    blocks: int  # off chip: bytes


def place(mem, card):
    """mem: depth, width, sync_reads, async_reads. One copy per read port; each has one write port."""
    depth, width = mem["depth"], mem["width"]
    copies = max(1, mem["sync_reads"] + mem["async_reads"])
    luts = Place("LUTRAM", copies * lutram_luts(depth, width))
    if mem["async_reads"]:
        return luts  # nothing else answers in the same cycle
    if depth <= LUT_DEPTH:
        return luts  # one LUT deep: a block would be nearly empty
    choice = min(Place("URAM", copies * uram_blocks(depth, width)),
                 Place("BRAM", copies * bram_blocks(depth, width)),
                 key=lambda p: p.blocks / card.has(p.kind))
    if choice.blocks > OFF_CHIP_SHARE * card.has(choice.kind):
        # A word stands at a multiple of the power of two that holds it.
        word = 1 << max(0, math.ceil(math.log2(width / 8)))
        return Place(card.far, depth * word)
    return choice
