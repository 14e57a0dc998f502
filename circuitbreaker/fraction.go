package circuitbreaker

import (
	"fmt"
	"strconv"
	"strings"
)

// One is the fraction 1.0.
const One Fraction = 1_000_000

// Fraction is a share in integer millionths: 0.6 is 600,000. Marks computed
// from it are exact, which floating point is not: floor(0.29 x 100) would be
// 28. Valid values are 0 to [One].
type Fraction int32

// ParseFraction reads a plain or exponential decimal ("0.6", "1", "6e-1")
// exactly. It fails for what is not a decimal, for more precision than a
// millionth and for values that Fraction can't hold; whether the value lies
// in 0 to 1 is for [Settings.Validate] to say.
func ParseFraction(s string) (Fraction, error) {
	fail := func() (Fraction, error) {
		return 0, fmt.Errorf("circuitbreaker: %q is not a fraction in millionths", s)
	}
	mantissa, exponent := s, 0
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		e, err := strconv.ParseInt(s[at+1:], 10, 16)
		if err != nil {
			return fail()
		}
		mantissa, exponent = s[:at], int(e)
	}
	negative := strings.HasPrefix(mantissa, "-")
	mantissa = strings.TrimPrefix(mantissa, "-")
	whole, decimals, _ := strings.Cut(mantissa, ".")
	digits := whole + decimals
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return fail()
	}
	// The value is digits x 10^-places; in millionths, digits x 10^(6-places).
	places := len(decimals) - exponent
	digits = strings.TrimLeft(digits, "0")
	for places > 6 && strings.HasSuffix(digits, "0") {
		digits, places = digits[:len(digits)-1], places-1
	}
	if digits == "" {
		return 0, nil
	}
	if places > 6 || len(digits)+6-places > 9 {
		return fail()
	}
	n, err := strconv.ParseInt(digits+strings.Repeat("0", 6-places), 10, 32)
	if err != nil {
		return fail()
	}
	if negative {
		n = -n
	}
	return Fraction(n), nil
}

// Float64 is the nearest floating-point number, for display.
func (f Fraction) Float64() float64 { return float64(f) / float64(One) }

// String is the shortest decimal: "0.6".
func (f Fraction) String() string { return strconv.FormatFloat(f.Float64(), 'f', -1, 64) }

// MarshalJSON gives a JSON number.
func (f Fraction) MarshalJSON() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalJSON reads a JSON number exactly.
func (f *Fraction) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	parsed, err := ParseFraction(string(b))
	if err != nil {
		return err
	}
	*f = parsed
	return nil
}

// ofUp is f x n rounded up, ofDown rounded down. n is at most 10^12.
func (f Fraction) ofUp(n int64) int64   { return (int64(f)*n + int64(One) - 1) / int64(One) }
func (f Fraction) ofDown(n int64) int64 { return int64(f) * n / int64(One) }
