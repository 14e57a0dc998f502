package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestAChangeIsStoredBeforeItIsApplied(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	r.provider(`{"id":"p",` + local + `,"keys":[{"name":"k","value":"sk-1"}]}`)
	r.combo(`{"name":"c","targets":[{"provider":"p","model":"m"}]}`)
	key, err := r.CreateKey(t.Context(), []byte(`{"name":"app"}`))
	if err != nil {
		t.Fatal(err)
	}
	applied, before := len(r.applied), maps.Clone(r.store.rows[collectionProviders])
	r.store.breakWrites(errDisk)
	for name, change := range map[string]func() error{
		"create a provider": func() error {
			_, err := r.CreateProvider(t.Context(), []byte(`{"id":"q",`+local+`}`))
			return err
		},
		"put a provider": func() error {
			_, err := r.PutProvider(t.Context(), "p", []byte(`{"id":"p",`+local+`}`), "")
			return err
		},
		"create a combo": func() error {
			_, err := r.CreateCombo(t.Context(), []byte(`{"name":"d","targets":[{"provider":"p","model":"m"}]}`))
			return err
		},
		"put a combo": func() error {
			_, err := r.PutCombo(t.Context(), "c", []byte(`{"targets":[{"provider":"p","model":"n"}]}`), "")
			return err
		},
		"delete a combo": func() error { return r.DeleteCombo(t.Context(), "c", "") },
		"create a key": func() error {
			_, err := r.CreateKey(t.Context(), []byte(`{"name":"other"}`))
			return err
		},
		"delete a key": func() error { return r.DeleteKey(t.Context(), key.ID) },
	} {
		if err := change(); !errors.Is(err, ErrPersistence) || !errors.Is(err, errDisk) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if len(r.applied) != applied || len(r.Providers()) != 1 || len(r.Combos()) != 1 || len(r.Keys()) != 1 || r.Combos()[0].Targets[0].Model != "m" {
		t.Error("something was applied all the same")
	}
	if after := r.store.rows[collectionProviders]; !maps.EqualFunc(before, after, slices.Equal) {
		t.Error("the store changed")
	}
	r.store.breakWrites(nil)
	if err := r.DeleteCombo(t.Context(), "c", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Combo("c"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestConflicts(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*rig) error
		code   string
		says   string
	}{
		"a provider's id that is taken": {func(r *rig) error {
			_, err := r.CreateProvider(t.Context(), []byte(`{"id":"p",`+local+`}`))
			return err
		}, ConflictExists, `there is a provider "p" already`},
		"a combo's name that is taken": {func(r *rig) error {
			_, err := r.CreateCombo(t.Context(), []byte(`{"name":"inner","targets":[{"provider":"p","model":"m"}]}`))
			return err
		}, ConflictExists, `there is a combo "inner" already`},
		"a name that is an alias": {func(r *rig) error {
			_, err := r.CreateCombo(t.Context(), []byte(`{"name":"quick","targets":[{"provider":"p","model":"m"}]}`))
			return err
		}, ConflictExists, `"quick" is an alias of combo "inner" already`},
		"an alias that is a name": {func(r *rig) error {
			_, err := r.PutCombo(t.Context(), "outer", []byte(`{"aliases":["inner"],"targets":[{"provider":"p","model":"m"}]}`), "")
			return err
		}, ConflictExists, `there is a combo "inner" already`},
		"a provider in use": {
			func(r *rig) error { return r.DeleteProvider(t.Context(), "p", "") },
			ConflictInUse, `provider "p" is a target of combos "inner" and "third"`,
		},
		"a model in use": {func(r *rig) error {
			_, err := r.PutProvider(t.Context(), "p", []byte(`{`+local+`,"models":["n"]}`), "")
			return err
		}, ConflictInUse, `model "m" of provider "p" is a target of combos "inner" and "third"`},
		"a combo in use": {
			func(r *rig) error { return r.DeleteCombo(t.Context(), "inner", "") },
			ConflictInUse, `combo "inner" is a target of combo "outer"`,
		},
		"a provider of the file": {
			func(r *rig) error { return r.DeleteProvider(t.Context(), "filed", "") },
			ConflictFile, `provider "filed" comes from the configuration file; change it there`,
		},
		"a combo of the file": {func(r *rig) error {
			_, err := r.PutCombo(t.Context(), "filed", []byte(`{}`), "")
			return err
		}, ConflictFile, `combo "filed" comes from the configuration file; change it there`},
		"a version that has passed": {func(r *rig) error {
			_, err := r.PutProvider(t.Context(), "p", []byte(`{`+local+`,"strict":true}`), `"1"`)
			return errors.Join(err, r.DeleteProvider(t.Context(), "p", `W/"7", "1"`))
		}, ConflictVersion, `provider "p" was changed meanwhile: it is at version 2 now`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, newMemory(), func(o *LiveOptions) {
				o.File = mustParse(t, "providers: [{id: filed, kind: demo}]\ncombos: [{name: filed, targets: [{provider: filed, model: steady}]}]")
			})
			r.provider(`{"id":"p",` + local + `}`)
			r.combo(`{"name":"inner","aliases":["quick"],"targets":[{"provider":"p","model":"m"}]}`)
			r.combo(`{"name":"outer","targets":[{"combo":"inner"}]}`)
			r.combo(`{"name":"third","targets":[{"provider":"p","model":"m"},{"combo":"filed"}]}`)
			applied := len(r.applied)
			if conflict := wantConflict(t, test.change(r), test.code); conflict.Message != test.says {
				t.Errorf("got %q, want %q", conflict.Message, test.says)
			}
			if test.code != ConflictVersion && len(r.applied) != applied {
				t.Error("something was applied")
			}
		})
	}
}

func TestCyclesAndDepthAreFoundFromEitherEnd(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	r.provider(`{"id":"p",` + local + `}`)
	r.combo(`{"name":"c7","targets":[{"provider":"p","model":"m"}]}`)
	for i := 6; i >= 0; i-- {
		r.combo(fmt.Sprintf(`{"name":"c%d","targets":[{"combo":"c%d"}]}`, i, i+1))
	}
	for name, test := range map[string]struct{ combo, body, want string }{
		"a cycle by the inner end": {"c7", `{"targets":[{"provider":"p","model":"m"},{"combo":"c6"}]}`, "targets[1].combo: makes a cycle: c7 -> c6 -> c7"},
		"itself":                   {"c3", `{"targets":[{"combo":"c3"}]}`, "targets[0].combo: makes a cycle: c3 -> c3"},
		"depth by the inner end": {
			"c7", `{"targets":[{"combo":"other"}]}`,
			"targets[0].combo: combos nest 9 deep here, and 8 is the most: c0 -> c1 -> c2 -> c3 -> c4 -> c5 -> c6 -> c7 -> other",
		},
		"depth by the outer end": {
			"other", `{"targets":[{"provider":"p","model":"m"},{"combo":"c0"}]}`,
			"targets[1].combo: combos nest 9 deep here, and 8 is the most: other -> c0 -> c1 -> c2 -> c3 -> c4 -> c5 -> c6 -> c7",
		},
		"a name that changes": {"c3", `{"name":"c9","targets":[{"provider":"p","model":"m"}]}`, `name: must stay "c3"; make another combo for another name`},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "depth by the inner end" {
				r.combo(`{"name":"other","targets":[{"provider":"p","model":"m"}]}`)
				defer r.DeleteCombo(t.Context(), "other", "")
			}
			if test.combo == "other" {
				_, err := r.CreateCombo(t.Context(), []byte(`{"name":"other",`+test.body[1:]))
				if got := problemsOf(t, err); !slices.Equal(got, []string{test.want}) {
					t.Errorf("got %q", got)
				}
				return
			}
			_, err := r.PutCombo(t.Context(), test.combo, []byte(test.body), "")
			if got := problemsOf(t, err); !slices.Equal(got, []string{test.want}) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestARestartFindsEverythingAgain(t *testing.T) {
	store := newMemory()
	r := newRig(t, store, nil)
	r.provider(`{"id":"p",` + local + `,"models":["m"],"keys":[{"name":"k","value":"sk-1"}]}`)
	r.now = r.now.Add(time.Hour)
	r.combo(`{"name":"c","targets":[{"provider":"p","model":"m"}]}`)
	if _, err := r.PutProvider(t.Context(), "p", []byte(`{`+local+`,"models":["m","n"],"keys":[{"name":"k","value":"[redacted]"},{"name":"l","value":"sk-2"}]}`), `"1"`); err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal([]any{r.Providers(), r.Combos()})
	again := newRig(t, store, nil)
	got, _ := json.Marshal([]any{again.Providers(), again.Combos()})
	if string(got) != string(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	keys := again.Built().Routing.Providers["p"].Keys
	if len(keys) != 2 || keys[0].Secret != "sk-1" || keys[1].Secret != "sk-2" {
		t.Errorf("got %d keys", len(keys))
	}
	p := again.Providers()[0]
	if p.Version != 2 || !p.UpdatedAt.Equal(r.now) || p.CreatedAt.Equal(p.UpdatedAt) {
		t.Errorf("origin %+v", p.Origin)
	}
}

func TestKeysThatWereSealedForAnotherPlaceOrWithAnotherSecretAreNotUsed(t *testing.T) {
	store := newMemory()
	r := newRig(t, store, nil)
	r.provider(`{"id":"p",` + local + `,"keys":[{"name":"k","value":"sk-1"}]}`)
	store.rows[collectionProviders]["q"] = []byte(strings.Replace(string(store.rows[collectionProviders]["p"]), `"id":"p"`, `"id":"q"`, 1))
	again := newRig(t, store, nil)
	if keys := again.Built().Routing.Providers["q"].Keys; len(keys) != 0 {
		t.Error("a key was opened for another provider")
	}
	other := newRig(t, store, func(o *LiveOptions) { o.Sealer, _ = NewSealer(make([]byte, 32)) })
	if keys := other.Built().Routing.Providers["p"].Keys; len(keys) != 0 {
		t.Error("a key was opened with another secret key")
	}
	body, _ := json.Marshal(other.Providers()[0])
	if _, err := other.PutProvider(t.Context(), "p", body, ""); err != nil {
		t.Errorf("put back: %v", err)
	}
}

func TestWhatIsStoredAndCanNotBeReadIsKept(t *testing.T) {
	store := newMemory()
	r := newRig(t, store, nil)
	r.provider(`{"id":"p",` + local + `}`)
	store.rows[collectionProviders]["odd"] = []byte(`{"id":"odd","from":"a newer version"}`)
	store.rows[collectionProviders]["cut"] = []byte(`{"id":`)
	again := newRig(t, store, nil)
	if len(again.Providers()) != 1 || len(store.rows[collectionProviders]) != 3 {
		t.Errorf("%d providers, %d rows", len(again.Providers()), len(store.rows[collectionProviders]))
	}
	_, err := again.CreateProvider(t.Context(), []byte(`{"id":"odd",`+local+`}`))
	wantConflict(t, err, ConflictExists)
	if err := again.DeleteProvider(t.Context(), "odd", ""); err != nil {
		t.Fatal(err)
	}
	again.provider(`{"id":"odd",` + local + `}`)
}

func TestTheDemoComesOnceAndOnlyToAnEmptyInstallation(t *testing.T) {
	demo := func(o *LiveOptions) { o.Demo = true }
	t.Run("on the first start", func(t *testing.T) {
		store := newMemory()
		r := newRig(t, store, demo)
		c, err := r.Combo("demo")
		if err != nil || len(c.Targets) != 2 || c.Targets[0].Model != "flaky" || c.Targets[1].Model != "steady" || c.Strategy != "priority" {
			t.Fatalf("%+v, %v", c, err)
		}
		if s := r.settings("target:demo/flaky"); s.ResetTimeout > 5*time.Second || s.Cooldown > time.Second {
			t.Errorf("flaky waits too long: %+v", s)
		}
		t.Run("and again on the next", func(t *testing.T) {
			if again := newRig(t, store, demo); len(again.Combos()) != 1 || len(again.Providers()) != 1 {
				t.Error("it is gone")
			}
		})
		t.Run("but not after it was deleted", func(t *testing.T) {
			if err := errors.Join(r.DeleteCombo(t.Context(), "demo", ""), r.DeleteProvider(t.Context(), "demo", "")); err != nil {
				t.Fatal(err)
			}
			if again := newRig(t, store, demo); len(again.Combos())+len(again.Providers()) != 0 {
				t.Error("it came back")
			}
		})
	})
	t.Run("not to one that was asked to begin without", func(t *testing.T) {
		store := newMemory()
		newRig(t, store, nil)
		if r := newRig(t, store, demo); len(r.Providers()) != 0 {
			t.Error("it came at the second start")
		}
	})
	t.Run("not beside a file that has providers", func(t *testing.T) {
		r := newRig(t, newMemory(), func(o *LiveOptions) {
			o.Demo, o.File = true, mustParse(t, "providers: [{id: p, kind: demo}]")
		})
		if len(r.Providers()) != 1 || len(r.Combos()) != 0 {
			t.Error("it came")
		}
	})
	t.Run("whole, also after a start that was killed in the middle", func(t *testing.T) {
		store := newMemory()
		newRig(t, store, demo)
		delete(store.rows[collectionCombos], "demo")
		delete(store.rows, collectionSettings)
		if r := newRig(t, store, demo); len(r.Combos()) != 1 {
			t.Error("half of it is missing")
		}
	})
	t.Run("in memory, if nothing can be stored", func(t *testing.T) {
		store := newMemory()
		store.gone = errDisk
		if r := newRig(t, store, demo); len(r.Combos()) != 1 {
			t.Error("there is nothing to serve")
		}
	})
}

func TestAStoreThatCanNotBeReadAtTheStartIsReadLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		newRig(t, store, nil).provider(`{"id":"p",` + local + `}`)
		store.gone = errDisk
		r := newRig(t, store, func(o *LiveOptions) { o.Demo, o.Installed = true, true })
		if len(r.Providers()) != 0 || !r.KeysEverExisted() {
			t.Fatal("without its store, an installation must have nothing and ask for keys")
		}
		if _, err := r.CreateProvider(t.Context(), []byte(`{"id":"q",`+local+`}`)); !errors.Is(err, ErrPersistence) {
			t.Fatalf("got %v", err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			r.KeepLoading(t.Context())
		}()
		synctest.Wait()
		store.mu.Lock()
		store.gone = nil
		store.mu.Unlock()
		<-done
		if len(r.Providers()) != 1 || r.KeysEverExisted() {
			t.Error("what is stored is not in force")
		}
		r.provider(`{"id":"q",` + local + `}`)
	})
}

func TestAStoreThatCanBeReadButNotWrittenServesWhatItHas(t *testing.T) {
	store := newMemory()
	r := newRig(t, store, nil)
	r.provider(`{"id":"p",` + local + `}`)
	store.breakWrites(errDisk)
	delete(store.rows, collectionSettings)
	if again := newRig(t, store, func(o *LiveOptions) { o.Demo = true }); len(again.Providers()) != 1 {
		t.Error("the stored provider is not served")
	}
}

func TestWithoutADurableSecretKeyNoKeyIsTakenByValue(t *testing.T) {
	r := newRig(t, newMemory(), func(o *LiveOptions) { o.Sealer.inMemory = true })
	_, err := r.CreateProvider(t.Context(), []byte(`{"id":"p",`+local+`,"keys":[{"name":"k","value":"sk-1"}]}`))
	if !errors.Is(err, ErrPersistence) || len(r.Providers()) != 0 {
		t.Errorf("got %v", err)
	}
	r.provider(`{"id":"p",` + local + `,"keys":[{"name":"k","env":"SOME_KEY"}]}`)
}

func TestReloadIsAllOrNothing(t *testing.T) {
	r := newRig(t, newMemory(), func(o *LiveOptions) {
		o.File = mustParse(t, "providers: [{id: a, kind: demo}, {id: b, kind: demo}]\ncombos: [{name: f, aliases: [g], targets: [{provider: a, model: steady}]}]")
	})
	r.provider(`{"id":"p",` + local + `}`)
	r.combo(`{"name":"c","targets":[{"provider":"b","model":"steady"},{"combo":"f"}]}`)
	applied := len(r.applied)
	for name, test := range map[string]struct {
		file string
		want []string
	}{
		"takes away what stored combos name": {"", []string{
			`stored combo "c".targets[0].provider: there is no provider "b"`,
			`stored combo "c".targets[1].combo: there is no combo "f"`,
		}},
		"takes the name of a stored one": {
			"providers: [{id: b, kind: demo}, {id: p, kind: demo}]\ncombos: [{name: f, targets: [{provider: p, model: steady}]}]",
			[]string{`providers[1].id: there is a provider "p" already that was made over HTTP: delete it there, or choose another name`},
		},
		"takes its name as an alias": {
			"providers: [{id: b, kind: demo}]\ncombos: [{name: f, aliases: [c], targets: [{provider: b, model: steady}]}]",
			[]string{`stored combo "c": has a name that is an alias of combo "f"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := r.Reload(t.Context(), mustParse(t, test.file))
			if got := problemsOf(t, err); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if len(r.applied) != applied || len(r.Providers()) != 3 {
				t.Error("something was applied")
			}
		})
	}
	before, _ := r.Provider("b")
	r.now = r.now.Add(time.Hour)
	err := r.Reload(t.Context(), mustParse(t, "providers: [{id: b, kind: demo}, {id: d, kind: demo}]\ncombos: [{name: f, strategy: random, targets: [{provider: d, model: steady}]}]"))
	if err != nil {
		t.Fatal(err)
	}
	after, _ := r.Provider("b")
	f, _ := r.Combo("f")
	if after.Origin != before.Origin || f.Version != 2 || !f.UpdatedAt.Equal(r.now) || f.Strategy != "random" || f.ManagedBy != ManagedByFile {
		t.Errorf("%+v, %+v", after.Origin, f)
	}
	if _, err := r.Provider("a"); !errors.Is(err, ErrNotFound) {
		t.Error("what left the file is still there")
	}
}

func TestAStartServesWhatStillFits(t *testing.T) {
	store := newMemory()
	r := newRig(t, store, func(o *LiveOptions) { o.File = mustParse(t, "providers: [{id: b, kind: demo}]") })
	r.provider(`{"id":"p",` + local + `}`)
	r.combo(`{"name":"c","targets":[{"provider":"b","model":"steady"},{"provider":"p","model":"m"}]}`)
	again := newRig(t, store, func(o *LiveOptions) { o.File = mustParse(t, "providers: [{id: p, kind: demo}]") })
	if targets := again.Built().Routing.Combos["c"].Targets; len(targets) != 1 || targets[0].Provider != "p" {
		t.Errorf("targets %+v", targets)
	}
	p, _ := again.Provider("p")
	if p.ManagedBy != ManagedByFile || len(store.rows[collectionProviders]) != 1 {
		t.Errorf("the file's provider must be in force, and the stored one kept: %+v", p.Origin)
	}
	body, _ := json.Marshal(must2(again.Combo("c")))
	if _, err := again.PutCombo(t.Context(), "c", body, ""); err != nil {
		t.Errorf("put back unchanged: %v", err)
	}
}

func must2[T any](v T, _ error) T { return v }

func TestConcurrentEditsAreOneAfterTheOther(t *testing.T) {
	store := newMemory()
	r := newRig(t, store, nil)
	r.provider(`{"id":"p",` + local + `,"max_concurrency":0}`)
	var editing sync.WaitGroup
	const editors, edits = 4, 10
	for e := range editors {
		editing.Go(func() {
			for i := 0; i < edits; {
				p, err := r.Provider("p")
				if err != nil {
					t.Error(err)
					return
				}
				p.MaxConcurrency++
				body, _ := json.Marshal(p)
				_, err = r.PutProvider(t.Context(), "p", body, fmt.Sprintf(`"%d"`, p.Version))
				if conflict, ok := errors.AsType[*ConflictError](err); ok && conflict.Code == ConflictVersion {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				i++
			}
			name := fmt.Sprintf("c%d", e)
			if _, err := r.CreateCombo(t.Context(), fmt.Appendf(nil, `{"name":%q,"targets":[{"provider":"p","model":"m"}]}`, name)); err != nil {
				t.Error(err)
			}
		})
	}
	editing.Wait()
	p, _ := r.Provider("p")
	if p.MaxConcurrency != editors*edits || len(r.Combos()) != editors {
		t.Errorf("%d edits and %d combos arrived", p.MaxConcurrency, len(r.Combos()))
	}
	last := r.applied[len(r.applied)-1]
	if last.Routing.Providers["p"].MaxConcurrency != editors*edits || len(last.Routing.Combos) != editors {
		t.Error("what was applied last is not what is in force")
	}
}

func TestAClientThatLeavesDoesNotCutAChange(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.CreateProvider(ctx, []byte(`{"id":"p",`+local+`}`)); err != nil {
		t.Error(err)
	}
}

func TestChangesAreToldInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newMemory(), nil)
		told := make(chan []Change)
		go func() {
			first, _ := r.Changes(t.Context(), 0)
			told <- first
		}()
		synctest.Wait()
		r.provider(`{"id":"p",` + local + `}`)
		if first := <-told; len(first) != 1 || first[0] != (Change{1, "providers", "p", "created", r.now}) {
			t.Errorf("got %+v", first)
		}
		r.combo(`{"name":"c","targets":[{"provider":"p","model":"m"}]}`)
		must2(r.PutCombo(t.Context(), "c", []byte(`{"targets":[{"provider":"p","model":"n"}]}`), ""))
		must2(r.PutCombo(t.Context(), "c", []byte(`{"targets":[{"provider":"p","model":"n"}]}`), "")) // changes nothing
		_ = r.DeleteCombo(t.Context(), "c", "")
		_ = r.Reload(t.Context(), nil)
		more, err := r.Changes(t.Context(), 1)
		var actions []string
		for _, c := range more {
			actions = append(actions, c.Collection+" "+c.ID+" "+c.Action)
		}
		if want := []string{"combos c created", "combos c updated", "combos c deleted", "file  reloaded"}; !slices.Equal(actions, want) || err != nil {
			t.Errorf("got %q, %v", actions, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go cancel()
		if _, err := r.Changes(ctx, 5); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		for range 2 * remembered {
			r.feed.add(Change{})
		}
		if rest, _ := r.Changes(t.Context(), 0); len(rest) != remembered || rest[len(rest)-1].Version != 5+2*remembered {
			t.Errorf("%d changes are remembered", len(rest))
		}
	})
}

func TestAStoreThatIsKnownToBeBrokenIsTriedBriefly(t *testing.T) {
	for name, test := range map[string]struct {
		broken bool
		within time.Duration
	}{"known": {true, time.Second}, "not known": {false, 10 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := newMemory()
				settled := newRig(t, store, nil)
				settled.provider(`{"id":"p",` + local + `}`)
				settled.combo(`{"name":"c","targets":[{"provider":"p","model":"m"}]}`)
				r := newRig(t, store, func(o *LiveOptions) {
					o.Store = stuck{store}
					o.StoreBroken = func() bool { return test.broken }
				})
				for name, change := range map[string]func() error{
					"a combo is made": func() error {
						_, err := r.CreateCombo(t.Context(), []byte(`{"name":"d","targets":[{"provider":"p","model":"m"}]}`))
						return err
					},
					"a key is made": func() error {
						_, err := r.CreateKey(t.Context(), []byte(`{"name":"k"}`))
						return err
					},
					"a combo goes": func() error { return r.DeleteCombo(t.Context(), "c", "") },
				} {
					began := time.Now()
					if err := change(); !errors.Is(err, ErrPersistence) {
						t.Errorf("%s: %v", name, err)
					}
					if took := time.Since(began); took != test.within {
						t.Errorf("%s: refused after %s, not %s", name, took, test.within)
					}
				}
			})
		})
	}
}

func TestNothingIsSentWithoutTheCredentialThatIsConfigured(t *testing.T) {
	r := newRig(t, newMemory(), nil)
	for name, test := range map[string]struct {
		keys    string
		enabled bool
		keyless string
	}{
		"no key is needed":     {``, true, ""},
		"all keys are there":   {`,"keys":[{"name":"a","env":"SOME_KEY"}]`, true, ""},
		"one of two is there":  {`,"keys":[{"name":"a","env":"UNSET"},{"name":"b","env":"SOME_KEY"}]`, true, ""},
		"none of two is there": {`,"keys":[{"name":"a","env":"UNSET"},{"name":"b","env":"GONE"}]`, false, "keys[0]: is not used: the environment variable UNSET is not set; keys[1]: is not used: the environment variable GONE is not set"},
	} {
		t.Run(name, func(t *testing.T) {
			p := r.provider(`{"id":` + quote(name) + `,` + local + test.keys + `}`)
			built := r.Built()
			if got := built.Routing.Providers[name].Enabled; got != test.enabled {
				t.Errorf("its targets can be asked: %v", got)
			}
			if got := (&ValidationError{Problems: built.Keyless[name]}).Error(); got != test.keyless {
				t.Errorf("it is without a key because of %q", got)
			}
			for _, k := range p.Keys {
				r.settings("key:" + name + "/" + k.Name)
			}
			if shown, _ := r.Provider(name); shown.Disabled || len(shown.Keys) != len(p.Keys) {
				t.Errorf("the document has changed: %+v", shown)
			}
		})
	}
}
