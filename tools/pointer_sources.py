"""Where the pronouns that the pointer learns from come from."""

#: How often a pronoun of each source is drawn, in relation to others.
SHARES = {
    "parcorfull": 1.0, "gum": 2.0, "litbank": 1.0, "scat": 2.0, "contrapro": 2.0, "ctxpro": 2.0,
    "it-function": 4.0, "treebanks": 2.0, "written": 1.0, "translated": 1.0, "repeated": 0.35,
    "unlabelled": 1.0, "gum-free": 2.0, "translated-free": 1.0, "talks": 3.0, "debates": 3.0,
    "news": 3.0, "novels": 3.0, "articles": 3.0,
}  # fmt: skip
#: Packed pronouns have the number of their source.
SOURCES = tuple(SHARES)
