package splice

// Size returns the width and height of the video in pixels.
func (c *Clip) Size() (width, height int) { return c.video.width, c.video.height }
