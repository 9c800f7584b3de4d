package handlers_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain lets the test binary run as the client of a benchmark: in a process of its
// own, the client does not add to the server's CPU time.
func TestMain(m *testing.M) {
	if os.Getenv("DAILIES_LOAD") != "" {
		if err := answerOrders(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "load:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// placeholder stands for the number of the request in its text.
const placeholder = "NNNNNNNN"

// An order tells the client which requests to send, one after another over one
// connection.
type order struct {
	Addr    string
	Request string // the exact text, with placeholders
	First   int    // number of the first request
	Count   int
	Status  int  // expected status of every response
	Drop    bool // discard the bodies
}

// A delivery reports how long each response took, and the last body, unless bodies
// were to be discarded.
type delivery struct {
	Took []time.Duration
	Body []byte
	Err  string
}

// answerOrders is the main function of the client process. It reads one order per
// line and writes one delivery per line.
func answerOrders(in io.Reader, out io.Writer) error {
	orders, deliveries := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var o order
		if err := orders.Decode(&o); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		d, err := deliver(o)
		if err != nil {
			d.Err = err.Error()
		}
		if err := deliveries.Encode(d); err != nil {
			return err
		}
	}
}

func deliver(o order) (d delivery, err error) {
	conn, err := net.Dial("tcp", o.Addr)
	if err != nil {
		return d, err
	}
	defer conn.Close()
	answers := bufio.NewReader(conn)
	for i := range o.Count {
		request := strings.ReplaceAll(o.Request, placeholder, fmt.Sprintf("%0*d", len(placeholder), o.First+i))
		began := time.Now()
		if _, err := io.WriteString(conn, request); err != nil {
			return d, err
		}
		answer, err := http.ReadResponse(answers, nil)
		if err != nil {
			return d, err
		}
		if o.Drop {
			_, err = io.Copy(io.Discard, answer.Body)
		} else {
			d.Body, err = io.ReadAll(answer.Body)
		}
		if err != nil {
			return d, err
		}
		d.Took = append(d.Took, time.Since(began))
		if answer.StatusCode != o.Status {
			return d, fmt.Errorf("%.60q is answered with %d: %.600s", request, answer.StatusCode, d.Body)
		}
	}
	return d, nil
}

// A load is a running client process.
type load struct {
	orders     *json.Encoder
	deliveries *json.Decoder
	number     atomic.Int64
	drop       bool // discard the bodies, which are slow for this process to decode
}

// newLoad starts a client process that ends with the benchmark.
func newLoad(b *testing.B) *load {
	b.Helper()
	program, err := os.Executable()
	must(b, err)
	process := exec.Command(program)
	process.Env = append(os.Environ(), "DAILIES_LOAD=1")
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	must(b, err)
	out, err := process.StdoutPipe()
	must(b, err)
	must(b, process.Start())
	b.Cleanup(func() { _ = in.Close(); _ = process.Wait() })
	return &load{orders: json.NewEncoder(in), deliveries: json.NewDecoder(out)}
}

// ask sends the request count times and returns the result.
func (l *load) ask(b *testing.B, addr, request string, count, status int) delivery {
	b.Helper()
	first := int(l.number.Add(int64(count))) - count
	must(b, l.orders.Encode(order{addr, request, first, count, status, l.drop}))
	var d delivery
	must(b, l.deliveries.Decode(&d))
	if d.Err != "" {
		b.Fatal(d.Err)
	}
	return d
}
