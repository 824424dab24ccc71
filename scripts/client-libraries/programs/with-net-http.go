// Reads the requests of lines.ts, sends each by net/http and prints the answer.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// Hides the length of a body, so that it is sent in chunks.
type stream struct{ io.Reader }

func send(fields []string) (int, []byte, error) {
	headers, _ := base64.StdEncoding.DecodeString(fields[2])
	content, _ := base64.StdEncoding.DecodeString(fields[4])
	var body io.Reader
	switch fields[3] {
	case "length":
		body = bytes.NewReader(content)
	case "chunked":
		body = stream{bytes.NewReader(content)}
	}
	request, err := http.NewRequest(fields[0], fields[1], body)
	if err != nil {
		return 0, nil, err
	}
	for _, pair := range strings.Split(string(headers), "\n") {
		if name, value, found := strings.Cut(pair, ": "); found {
			request.Header.Set(name, value)
		}
	}
	if fields[5] == "expect" {
		request.Header.Set("Expect", "100-continue")
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	return response.StatusCode, got, err
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		status, got, err := send(strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		if err != nil {
			fmt.Printf("failed\t%s\t\n", strings.Join(strings.Fields(err.Error()), " "))
		} else {
			fmt.Printf("ok\t%d\t%s\n", status, base64.StdEncoding.EncodeToString(got))
		}
	}
}
