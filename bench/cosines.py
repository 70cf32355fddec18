"""Formats cosines as text."""


def text(cosine, digits):
    """Returns the cosine with this many digits, and with more where a cosine below 1 would read as 1."""
    while float(f"{cosine:.{digits}f}") >= 1 > cosine and digits < 16:
        digits += 1
    return f"{cosine:.{digits}f}"
