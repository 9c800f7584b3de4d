package share

const linkReady = "Your link is ready."
