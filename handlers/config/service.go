package config

import (
	"fmt"
	"net/url"

	"dailies/web/videoapi"
)

// serviceAddress refuses what is not the base address of a video service, and brings the
// address into the form in which one that an admin types into a page is kept: both name the
// same service. Whoever sets it is trusted, so that it may be private, and without https. A
// user and a password are left out: keys are sent in their place.
func serviceAddress(name string, s *string) error {
	if *s == "" {
		return nil
	}
	if u, err := url.Parse(*s); err == nil && u.User != nil {
		u.User = nil
		*s = u.String()
	}
	address, fault := videoapi.ParseAddress(*s, true)
	switch fault {
	case 0:
		*s = address
		return nil
	case videoapi.AddressPort:
		return fmt.Errorf("%s has a port that does not exist; it takes 1 to 65535", name)
	case videoapi.AddressQuery:
		return fmt.Errorf("%s has a ? or a #, after which nothing can be added", name)
	}
	return fmt.Errorf("%s is not a web address such as https://video.example.com", name)
}
