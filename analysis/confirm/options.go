package confirm

// Options are the choices of a person; zero values leave them to the kit, or
// to the defaults.
type Options struct {
	Server     string
	Engine     string
	Client     string
	Caps       []int
	Prompts    []int   // one for all caps, or one per cap
	Seeds      []int64 // fresh seeds
	InputLen   int
	OutputLen  int
	RangeRatio float64 // below 0: not given
	Dataset    string
	RepeatArm  bool
	OrderSeed  uint64  // 0 = 1
	Percentile float64 // the deepest percentile that the result shall show, in %
}
