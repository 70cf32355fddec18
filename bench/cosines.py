"""Formats cosines as text."""


def text(cosine, digits):
    """Returns the cosine with `digits` digits after the point, or with more if a cosine below 1 would be rounded to
    1."""
    while float(f"{cosine:.{digits}f}") >= 1 > cosine and digits < 16:
        digits += 1
    return f"{cosine:.{digits}f}"
