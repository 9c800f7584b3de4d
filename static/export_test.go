package static

var (
	Dense    = dense
	BundleOf = bundleOf
	PartsOf  = partsOf
)
