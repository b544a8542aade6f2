// SPDX-License-Identifier: Apache-2.0
// Recorded the profiles beside it: go run -trimpath main.go FOLDER (go 1.26)
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

var shelf [][]byte

func order(bytes int) { shelf = append(shelf, make([]byte, bytes)) }

func sell(till *sync.Mutex, orders int) {
	for i := 0; i < orders; i++ {
		till.Lock()
		order(1000 * (i%5 + 1))
		time.Sleep(20 * time.Microsecond)
		till.Unlock()
	}
}

func main() {
	runtime.MemProfileRate = 4096
	runtime.SetMutexProfileFraction(2)
	runtime.SetBlockProfileRate(1)
	var till sync.Mutex
	var open sync.WaitGroup
	closed := make(chan bool)
	for i := 0; i < 3; i++ {
		open.Add(1)
		go func() { sell(&till, 200); open.Done(); <-closed }()
	}
	open.Wait()
	runtime.GC()
	for _, name := range []string{"heap", "goroutine", "mutex", "block", "threadcreate"} {
		for debug := 0; debug < 2; debug++ {
			file, _ := os.Create(fmt.Sprintf("%s/%s.debug%d", os.Args[1], name, debug))
			pprof.Lookup(name).WriteTo(file, debug)
			file.Close()
		}
	}
	close(closed)
}
