package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
)

// shrink writes a screenshot again with 32 levels a channel and, if that leaves
// at most 256 colours, with a palette. Pages are flat colours and the grey edges
// of letters: nothing is seen of it, and the file is a third.
func shrink(shot []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return nil, err
	}
	area := from.Bounds()
	full := image.NewNRGBA(area)
	var palette color.Palette
	index := map[color.NRGBA]uint8{}
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			r, g, b, _ := from.At(x, y).RGBA()
			c := color.NRGBA{level(r), level(g), level(b), 255}
			full.SetNRGBA(x, y, c)
			if _, known := index[c]; !known && len(palette) <= 256 {
				index[c] = uint8(len(palette))
				palette = append(palette, c)
			}
		}
	}
	var to image.Image = full
	if len(palette) <= 256 {
		small := image.NewPaletted(area, palette)
		for y := area.Min.Y; y < area.Max.Y; y++ {
			for x := area.Min.X; x < area.Max.X; x++ {
				small.SetColorIndex(x, y, index[full.NRGBAAt(x, y)])
			}
		}
		to = small
	}
	var out bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&out, to)
	return out.Bytes(), err
}

// level rounds a 16-bit channel to one of 32 levels of 8 bits.
func level(v uint32) uint8 {
	return uint8((v*31 + 0x7FFF) / 0xFFFF * 255 / 31)
}
