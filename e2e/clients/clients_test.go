package clients

import (
	"testing"
)

func TestEveryClientWorksUnmodified(t *testing.T) {
	t.Parallel()
	for _, p := range parties {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			c := p.start(t, s.gateway.URL)
			for _, endpoint := range p.endpoints {
				for _, target := range []string{"chat", "responses", "messages"} {
					for _, sc := range scenarios {
						if sc.only != nil && !sc.only(endpoint, target) {
							continue
						}
						t.Run(endpoint+"/"+target+"/"+sc.name, func(t *testing.T) {
							sc.check(t, p, endpoint, s.play(t, c, endpoint, target, sc))
						})
					}
				}
			}
		})
	}
}
