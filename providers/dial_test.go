package providers

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

func TestGate(t *testing.T) {
	const (
		never   = "never"
		private = "private"
		public  = "public"
	)
	tests := map[string]string{
		"8.8.8.8":                  public,
		"1.1.1.1":                  public,
		"192.0.0.191":              public,
		"100.63.255.255":           public,
		"100.128.0.0":              public,
		"172.15.255.255":           public,
		"172.32.0.1":               public,
		"2606:4700:4700::1111":     public,
		"64:ff9b::8.8.8.8":         public,
		"2002:808:808::1":          public,
		"127.0.0.1":                private,
		"127.255.255.254":          private,
		"10.0.0.1":                 private,
		"172.16.0.1":               private,
		"172.31.255.255":           private,
		"192.168.1.1":              private,
		"100.64.0.1":               private,
		"100.127.255.255":          private,
		"::1":                      private,
		"fc00::1":                  private,
		"fd12:3456::1":             private,
		"::ffff:127.0.0.1":         private,
		"::ffff:10.1.2.3":          private,
		"::127.0.0.1":              private,
		"64:ff9b::10.0.0.1":        private,
		"64:ff9b:1::127.0.0.1":     private,
		"64:ff9b:1:a00:0:100::":    private,
		"64:ff9b:1::8.8.8.8":       private, // a translator of this network
		"64:ff9b:1:a9fe:a9:fe00::": never,
		"2002:a00:1::1":            private,
		"2001:0:1:2:3:4:f5ff:fffe": private,
		"0.0.0.0":                  never,
		"0.1.2.3":                  never,
		"::":                       never,
		"::ffff:0.0.0.0":           never,
		"255.255.255.255":          never,
		"169.254.0.1":              never,
		"169.254.169.254":          never,
		"::ffff:169.254.169.254":   never,
		"64:ff9b::169.254.169.254": never,
		"2002:a9fe:a9fe::1":        never,
		"fe80::1":                  never,
		"fe80::1%eth0":             never,
		"224.0.0.1":                never,
		"ff02::1":                  never,
		"100.100.100.200":          never,
		"168.63.129.16":            never,
		"fd00:ec2::254":            never,
		"fd20:ce::254":             never,
		"192.0.0.192":              never,
		"::ffff:100.100.100.200":   never,
		"64:ff9b::168.63.129.16":   never,
		"2001:0:1:2:3:4:5601:5601": never, // Teredo of 169.254.169.254
		"::ffff:0:169.254.169.254": never, // RFC 2765
		"::ffff:0:10.0.0.1":        private,
		"::ffff:0:8.8.8.8":         public,
		"240.0.0.1":                private, // reserved, and used within networks
		"255.255.255.254":          private,
		"fec0::1":                  private, // site-local, RFC 3879
		"feff::1":                  private,
	}
	for address, class := range tests {
		t.Run(address, func(t *testing.T) {
			for _, allowed := range []bool{false, true} {
				err := gate{private: allowed}.check(netip.MustParseAddr(address))
				refused, _ := errors.AsType[*AddressError](err)
				switch want := class == never || class == private && !allowed; {
				case (refused != nil) != want:
					t.Errorf("with private addresses allowed: %v: got %v", allowed, err)
				case want && refused.Never != (class == never):
					t.Errorf("refused for the wrong reason: %v", err)
				}
			}
		})
	}
}

func TestGateOfHost(t *testing.T) {
	tests := map[string]bool{ // may it be a private address?
		"localhost":         true,
		"LOCALHOST":         true,
		"localhost.":        true,
		"127.0.0.1":         true,
		"10.0.0.1":          true,
		"::1":               true,
		"example.com":       false,
		"localhost.example": false,
		"127.1":             false, // a resolver may take it for an address, but it is none
		"0x7f000001":        false,
	}
	for host, private := range tests {
		if got := newGate(host, false); got.private != private {
			t.Errorf("%s: got %v", host, got.private)
		}
		if got := newGate(host, true); !got.private {
			t.Errorf("%s with allow_private_network: refused", host)
		}
	}
}

func TestGateStandsBeforeTheConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dial := newGate("example.com", false).dialer()
	_, err = dial(t.Context(), "tcp", listener.Addr().String())
	if refused, ok := errors.AsType[*AddressError](err); !ok || refused.Never {
		t.Errorf("got %v", err)
	}
	conn, err := newGate("127.0.0.1", false).dialer()(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// TestTheDialerRefusesBeforeItConnects goes through the real dialer, literal address by literal address.
func TestTheDialerRefusesBeforeItConnects(t *testing.T) {
	dial := newGate("example.com", false).dialer()
	for _, address := range []string{
		"127.0.0.1", "10.0.0.1", "100.64.0.1", "169.254.169.254", "0.0.0.0", "::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254",
		"64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "2002:a00:1::1", "2002:a9fe:a9fe::1", "fe80::1%lo", "fd00:ec2::254", "fc00::1", "fec0::1",
	} {
		ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
		conn, err := dial(ctx, "tcp", net.JoinHostPort(address, "9"))
		stop()
		if conn != nil {
			conn.Close()
		}
		if errors.Is(err, syscall.EAFNOSUPPORT) {
			continue // no IPv6 here
		}
		if _, refused := errors.AsType[*AddressError](err); !refused {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestANameThatPointsElsewhereTheNextTimeIsRefusedThen: it is judged by what is connected to, at each connection.
func TestANameThatPointsElsewhereTheNextTimeIsRefusedThen(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	var inside atomic.Bool
	resolver := net.DefaultResolver
	defer func() { net.DefaultResolver = resolver }()
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go answerDNS(there, &inside)
		return here, nil
	}}
	dial := newGate("rebinding.example", false).dialer()
	for i, want := range []bool{false, true} {
		inside.Store(want)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		conn, err := dial(ctx, "tcp4", net.JoinHostPort("rebinding.example", port))
		stop()
		if conn != nil {
			conn.Close()
			t.Errorf("connection %d was made to %s", i+1, conn.RemoteAddr())
		}
		refused, is := errors.AsType[*AddressError](err)
		if is != want || want && refused.Address.String() != "127.0.0.1" {
			t.Errorf("connection %d: %v", i+1, err)
		}
	}
}

// answerDNS says that any name is an address of documentation (RFC 5737) or, inside, this host.
func answerDNS(conn net.Conn, inside *atomic.Bool) {
	defer conn.Close()
	for {
		var length uint16
		if binary.Read(conn, binary.BigEndian, &length) != nil {
			return
		}
		message := make([]byte, length)
		if _, err := io.ReadFull(conn, message); err != nil {
			return
		}
		end := 12
		for message[end] != 0 {
			end += int(message[end]) + 1
		}
		address := []byte{192, 0, 2, 1}
		if inside.Load() {
			address = []byte{127, 0, 0, 1}
		}
		reply := append([]byte{message[0], message[1], 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0}, message[12:end+5]...)
		reply = append(append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), address...)
		_, _ = conn.Write(binary.BigEndian.AppendUint16(nil, uint16(len(reply))))
		_, _ = conn.Write(reply)
	}
}
