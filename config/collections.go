package config

import "context"

// Providers are sorted by id.
func (l *Live) Providers() []Provider { return all(l, &providerSort) }

// Provider finds a provider by its id.
func (l *Live) Provider(id string) (Provider, error) { return get(l, &providerSort, id) }

// CreateProvider adds the provider of a JSON document.
func (l *Live) CreateProvider(ctx context.Context, body []byte) (Provider, error) {
	return create(ctx, l, &providerSort, body)
}

// PutProvider replaces a provider; keys whose value is the mask keep theirs. ifMatch is an If-Match header: "*" for
// any version, else the ETags (Origin.Version) that the caller has read; "" for any that is no newer than the document
// says, if it says one.
func (l *Live) PutProvider(ctx context.Context, id string, body []byte, ifMatch string) (Provider, error) {
	return replace(ctx, l, &providerSort, id, body, ifMatch)
}

// DeleteProvider deletes a provider that no combo names.
func (l *Live) DeleteProvider(ctx context.Context, id, ifMatch string) error {
	return remove(ctx, l, &providerSort, id, ifMatch)
}

// Combos are sorted by name. What a combo doesn't set shows the default that is in force.
func (l *Live) Combos() []Combo { return all(l, &comboSort) }

// Combo finds a combo by its name.
func (l *Live) Combo(name string) (Combo, error) { return get(l, &comboSort, name) }

// CreateCombo adds the combo of a JSON document.
func (l *Live) CreateCombo(ctx context.Context, body []byte) (Combo, error) {
	return create(ctx, l, &comboSort, body)
}

// PutCombo replaces a combo; ifMatch as for PutProvider.
func (l *Live) PutCombo(ctx context.Context, name string, body []byte, ifMatch string) (Combo, error) {
	return replace(ctx, l, &comboSort, name, body, ifMatch)
}

// DeleteCombo deletes a combo that no other names.
func (l *Live) DeleteCombo(ctx context.Context, name, ifMatch string) error {
	return remove(ctx, l, &comboSort, name, ifMatch)
}

// sealKeys gives the keys of a provider by value the form that is stored; a key without one, or with the mask, keeps
// the value that is stored under its name.
func (l *Live) sealKeys(p, old *Provider) error {
	for i := range p.Keys {
		k := &p.Keys[i]
		var before Key
		if old != nil {
			for _, b := range old.Keys {
				if b.Name == k.Name && b.sealed != "" {
					before = b
				}
			}
		}
		switch {
		case k.Env != "":
		case k.value == nil:
			k.value, k.sealed, k.redacted = before.value, before.sealed, k.redacted && before.sealed == ""
		case before.value != nil && *before.value == *k.value:
			k.sealed = before.sealed
		case l.o.Sealer.inMemory:
			return ErrNoSecretKey
		default:
			k.sealed = l.o.Sealer.Seal(place(p, k), *k.value)
		}
	}
	return nil
}
