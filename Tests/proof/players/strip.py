"""The strip along the lower edge of a picture, in whose squares the origin paints the number of the frame. Stands
alone, so that programs that run outside this package read it, too."""
SQUARES = 20


def squares(light, stride, width, height):
    """How bright the middle of each square is; `light` has a byte for each pixel, in lines of `stride` bytes."""
    side = width // SQUARES
    line = (height - side // 2) * stride
    return [light[line + side // 2 + index * side] for index in range(SQUARES)]
