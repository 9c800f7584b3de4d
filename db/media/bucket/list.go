package bucket

import (
	"context"
	"encoding/xml"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// An object is an entry of a list.
type object struct {
	Key          string
	Size         int64 // in bytes
	LastModified time.Time
}

// list lists the objects whose keys begin with the prefix, page by page. With a page
// size of 0, the service decides how many objects a page has.
func (c *client) list(ctx context.Context, prefix string, pageSize int) iter.Seq2[object, error] {
	return func(yield func(object, error) bool) {
		for token := ""; ; {
			page, err := c.page(ctx, prefix, token, pageSize)
			if err == nil && page.IsTruncated && (page.NextContinuationToken == "" || page.NextContinuationToken == token) {
				err = errors.New("a list of objects is truncated, and the service does not say how it goes on")
			}
			if err != nil {
				yield(object{}, err)
				return
			}
			for _, is := range page.Contents {
				if !yield(is, nil) {
					return
				}
			}
			if !page.IsTruncated {
				return
			}
			token = page.NextContinuationToken
		}
	}
}

// A page is a part of a list.
type page struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	IsTruncated           bool
	NextContinuationToken string
	EncodingType          string
	Contents              []object
}

// page fetches the part of a list that the token names, or the first.
func (c *client) page(ctx context.Context, prefix, token string, size int) (page, error) {
	query := url.Values{"list-type": {"2"}, "encoding-type": {"url"}, "prefix": {prefix}}
	if token != "" {
		query.Set("continuation-token", token)
	}
	if size > 0 {
		query.Set("max-keys", strconv.Itoa(size))
	}
	answer, err := c.do(ctx, request{method: http.MethodGet, query: query})
	if err != nil {
		return page{}, err
	}
	p, err := readXML[page](answer, maxListAnswer)
	if err != nil {
		return p, err
	}
	if p.EncodingType != "url" {
		return p, nil
	}
	for i := range p.Contents {
		if p.Contents[i].Key, err = url.QueryUnescape(p.Contents[i].Key); err != nil {
			return p, errors.New("a list of objects has a name that cannot be read")
		}
	}
	return p, nil
}
