package sandbox

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strconv"
	"strings"
)

// A Fault is a way in which a call goes wrong for its client.
type Fault string

// The faults. With the first five nothing is done, as if the call had never
// come; with the others it is carried out and the answer suffers.
const (
	Fault500   Fault = "500"   // HTTP 500 with an envelope
	Fault502   Fault = "502"   // HTTP 502 with a gateway's page
	Fault429   Fault = "429"   // HTTP 429 with Retry-After
	FaultReset Fault = "reset" // the connection is reset
	FaultStall Fault = "stall" // nothing comes for Pace.Stall, then the connection ends
	FaultCut   Fault = "cut"   // the connection ends in the middle of the answer's body
	FaultLost  Fault = "lost"  // a task is made and paid, and the connection ends; creates only
)

// faults returns all of them, in the order in which a call's lot is drawn.
func faults() []Fault {
	return []Fault{Fault500, Fault502, Fault429, FaultReset, FaultStall, FaultCut, FaultLost}
}

// Faults is how often each fault happens, as a share of the calls from 0 to 1.
type Faults map[Fault]float64

// ParseFaults reads rates such as "500=0.1,reset=0.02". Empty text is none.
func ParseFaults(text string) (Faults, error) {
	rates := Faults{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		if name == "" && value == "" {
			continue
		}
		rate, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("%.40q is not a fault and its rate, such as 500=0.1", part)
		}
		if _, twice := rates[Fault(name)]; twice {
			return nil, fmt.Errorf("the fault %.40q is there twice", name)
		}
		rates[Fault(name)] = rate
	}
	return rates, rates.check()
}

func (f Faults) check() error {
	sum := 0.0
	for name, rate := range f {
		known := false
		for _, k := range faults() {
			known = known || k == name
		}
		if !known {
			return fmt.Errorf("there is no fault %.40q; there are 500, 502, 429, reset, stall, cut and lost", string(name))
		}
		if !(rate >= 0 && rate <= 1) {
			return fmt.Errorf("the rate of the fault %s is %v, not from 0 to 1", name, rate)
		}
		sum += rate
	}
	if sum > 1+1e-9 {
		return fmt.Errorf("the rates of the faults add up to %.3g, more than 1", sum)
	}
	return nil
}

// draw draws the lot of the n-th call of an endpoint, the same whenever it is
// drawn, or "" where all goes well.
func (f Faults) draw(seed int64, endpoint string, n uint64) Fault {
	h := fnv.New64a()
	_, _ = h.Write([]byte(endpoint)) // never fails
	lot := rand.New(rand.NewPCG(uint64(seed), h.Sum64()+n)).Float64()
	for _, name := range faults() {
		if lot -= f[name]; lot < 0 {
			return name
		}
	}
	return ""
}
