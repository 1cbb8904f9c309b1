package templates

import "html/template"

// Picture is the still picture; package svg escapes all text in it.
func (b figureBlock) Picture() template.HTML { return template.HTML(b.SVG()) }

// NarrowPicture is the one for narrow screens.
func (b figureBlock) NarrowPicture() template.HTML { return template.HTML(b.SVGNarrow()) }
