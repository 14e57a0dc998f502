package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/ohmroute/ohmroute/config"
)

// repository reads a file of the repository's root.
func repository(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkServe tells whether args are a call of serve that its flags understand, and gives a flag's value.
func checkServe(t *testing.T, args []string) func(flag string) string {
	t.Helper()
	if len(args) == 0 || args[0] != "serve" {
		t.Fatalf("%q is no call of serve", args)
	}
	cmd := serveCommand(world{out: io.Discard, err: io.Discard})
	if err := cmd.ParseFlags(args[1:]); err != nil {
		t.Fatal(err)
	}
	if rest := cmd.Flags().Args(); len(rest) > 0 {
		t.Errorf("serve takes no %q", rest)
	}
	return func(flag string) string { return cmd.Flag(flag).Value.String() }
}

// instruction is a line of a Dockerfile.
type instruction struct{ verb, rest string }

func dockerfile(t *testing.T) (list []instruction) {
	t.Helper()
	text := strings.ReplaceAll(repository(t, "Dockerfile"), "\\\n", " ")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			verb, rest, _ := strings.Cut(line, " ")
			list = append(list, instruction{verb, rest})
		}
	}
	return list
}

func TestTheImageIsStaticAndNotRoot(t *testing.T) {
	last := map[string]string{} // of each verb
	copied := ""
	for _, in := range dockerfile(t) {
		if in.verb == "FROM" {
			clear(last)
			copied = ""
		}
		last[in.verb] = in.rest
		if in.verb == "COPY" {
			copied += in.rest + "\n"
		}
		if in.verb == "RUN" && strings.Contains(in.rest, "go build") {
			for _, part := range []string{"CGO_ENABLED=0", "-X main.version=$VERSION", "./cmd/ohmroute"} {
				if !strings.Contains(in.rest, part) {
					t.Errorf("the build has no %s", part)
				}
			}
		}
	}
	if last["FROM"] != "scratch" || !strings.Contains(copied, "ca-certificates.crt /etc/ssl/certs/") || !strings.Contains(copied, "/ohmroute /ohmroute\n") {
		t.Errorf("from %s, with\n%s", last["FROM"], copied)
	}
	uid, _, _ := strings.Cut(last["USER"], ":")
	if n, err := strconv.Atoi(uid); err != nil || n < 1000 {
		t.Errorf("user %q", last["USER"])
	}
	if last["ENTRYPOINT"] != `["/ohmroute"]` || last["CMD"] != `["serve"]` {
		t.Errorf("entrypoint %s, command %s", last["ENTRYPOINT"], last["CMD"])
	}
	env := map[string]string{}
	for pair := range strings.FieldsSeq(last["ENV"]) {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	cmd := serveCommand(world{})
	if err := fromEnvironment(cmd.Flags(), func(name string) (string, bool) { return env[name], true }); err != nil {
		t.Fatal(err)
	}
	if data := cmd.Flag("data-dir").Value.String(); data != last["VOLUME"] || cmd.Flag("listen").Value.String() != "0.0.0.0:"+last["EXPOSE"] {
		t.Errorf("the environment %v, the volume %s and the port %s don't fit", env, last["VOLUME"], last["EXPOSE"])
	}
}

func TestWhatTheImageNeedsIsNotIgnored(t *testing.T) {
	ignored := strings.Split(repository(t, ".dockerignore"), "\n")
	for name := range strings.FieldsSeq("circuitbreaker cmd combo config db go.mod go.sum migrations providers server sse web") {
		if slices.Contains(ignored, name) {
			t.Errorf("%s is ignored", name)
		}
	}
}

var unitLine = regexp.MustCompile(`(?m)^([A-Za-z]+)=(.*)$`)

func TestTheUnitStartsServeAndStopsItInTime(t *testing.T) {
	settings := map[string]string{}
	for _, line := range unitLine.FindAllStringSubmatch(repository(t, "deploy", "ohmroute.service"), -1) {
		settings[line[1]] = line[2]
	}
	start := strings.Fields(settings["ExecStart"])
	flag := checkServe(t, start[1:])
	if start[0] != "/usr/bin/ohmroute" || flag("data-dir") != "/var/lib/"+settings["StateDirectory"] || settings["DynamicUser"] != "yes" {
		t.Errorf("%s as user %s with %s", settings["ExecStart"], settings["DynamicUser"], settings["StateDirectory"])
	}
	if stop, err := time.ParseDuration(settings["TimeoutStopSec"]); err != nil || stop < 30*time.Second+closeTimeout {
		t.Errorf("it gets %s to stop", settings["TimeoutStopSec"])
	}
	if settings["ExecReload"] != "/bin/kill -HUP $MAINPID" || settings["NoNewPrivileges"] != "yes" || settings["ProtectSystem"] != "strict" {
		t.Errorf("settings %v", settings)
	}
	release := repository(t, ".goreleaser.yaml")
	if !strings.Contains(release, "dst: "+flag("config")+"\n") || !strings.Contains(release, "bindir: "+filepath.Dir(start[0])+"\n") {
		t.Errorf("the packages don't have what the unit names: %s, %s", start[0], flag("config"))
	}
	if file, problems := config.ParseFile([]byte(repository(t, "deploy", "ohmroute.yaml")), os.LookupEnv); file == nil || len(problems) > 0 {
		t.Errorf("the packages' configuration: %v", problems)
	}
}

func TestTheReleaseNamesWhatThereIs(t *testing.T) {
	var release struct {
		Version int
		Builds  []struct {
			Main, Binary string
			Env, Ldflags []string
		}
		Archives []struct{ Files []string }
		Nfpms    []struct{ Contents []struct{ Src, Dst string } }
	}
	if err := yaml.Unmarshal([]byte(repository(t, ".goreleaser.yaml")), &release); err != nil {
		t.Fatal(err)
	}
	b := release.Builds[0]
	if release.Version != 2 || b.Binary != "ohmroute" || fmt.Sprint(b.Env) != "[CGO_ENABLED=0]" || !strings.Contains(b.Ldflags[0], "-X main.version={{ .Version }}") {
		t.Errorf("version %d, build %+v", release.Version, b)
	}
	paths := append([]string{b.Main}, release.Archives[0].Files...)
	for _, c := range release.Nfpms[0].Contents {
		paths = append(paths, c.Src)
	}
	for _, path := range paths {
		if found, err := filepath.Glob(filepath.Join("..", "..", path)); err != nil || len(found) == 0 {
			t.Errorf("there is no %s (%v)", path, err)
		}
	}
}

// manifest is what the test looks at of a Kubernetes object.
type manifest struct {
	Kind       string
	Metadata   struct{ Name string }
	StringData map[string]string `yaml:"stringData"`
	Data       map[string]string
	Spec       struct {
		Replicas int
		Strategy struct{ Type string }
		Selector any
		Ports    []struct {
			TargetPort string `yaml:"targetPort"`
		}
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Grace           int `yaml:"terminationGracePeriodSeconds"`
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
					RunAsUser    int  `yaml:"runAsUser"`
				} `yaml:"securityContext"`
				Containers []container
			}
		}
	}
}

type container struct {
	Args            []string
	Ports           []struct{ Name string }
	StartupProbe    probe `yaml:"startupProbe"`
	LivenessProbe   probe `yaml:"livenessProbe"`
	ReadinessProbe  probe `yaml:"readinessProbe"`
	SecurityContext struct {
		ReadOnlyRootFilesystem bool `yaml:"readOnlyRootFilesystem"`
	} `yaml:"securityContext"`
	VolumeMounts []struct {
		MountPath string `yaml:"mountPath"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

func manifests(t *testing.T) map[string]manifest {
	t.Helper()
	all := map[string]manifest{}
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(repository(t, "deploy", "kubernetes.yaml"))))
	for {
		var m manifest
		if err := decoder.Decode(&m); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		if m.Metadata.Name != "ohmroute" || all[m.Kind].Kind != "" {
			t.Errorf("a %s named %q", m.Kind, m.Metadata.Name)
		}
		all[m.Kind] = m
	}
}

func TestTheClusterRunsOneGatewayThatItCanAsk(t *testing.T) {
	all := manifests(t)
	d := all["Deployment"].Spec
	pod := d.Template.Spec
	if d.Replicas != 1 || d.Strategy.Type != "Recreate" {
		t.Errorf("%d replicas, strategy %s: the database has one owner", d.Replicas, d.Strategy.Type)
	}
	if !pod.SecurityContext.RunAsNonRoot || pod.SecurityContext.RunAsUser == 0 || len(pod.Containers) != 1 {
		t.Errorf("the pod is %+v", pod)
	}
	c := pod.Containers[0]
	flag := checkServe(t, c.Args)
	mounted := fmt.Sprint(c.VolumeMounts)
	for _, path := range []string{flag("data-dir"), filepath.Dir(flag("config")), "/tmp"} {
		if !strings.Contains(mounted, "{"+path+"}") {
			t.Errorf("nothing is mounted at %s: %s", path, mounted)
		}
	}
	secret := all["Secret"].StringData
	env := func(name string) (string, bool) { value, set := secret[name]; return value, set }
	file, problems := config.ParseFile([]byte(all["ConfigMap"].Data[filepath.Base(flag("config"))]), env)
	if file == nil || len(append(problems, file.Unset(env)...)) > 0 {
		t.Fatalf("the configuration has problems: %v", problems)
	}
	if grace := time.Duration(pod.Grace) * time.Second; grace < file.Server.DrainTimeout+closeTimeout {
		t.Errorf("the pod gets %s to stop", grace)
	}
	if got, want := fmt.Sprint(all["Service"].Spec.Selector), fmt.Sprint(d.Template.Metadata.Labels); got != want || all["Service"].Spec.Ports[0].TargetPort != c.Ports[0].Name {
		t.Errorf("the service selects %s, the pod has %s", got, want)
	}
	text := strings.Replace(all["ConfigMap"].Data["ohmroute.yaml"], "listen: 0.0.0.0:4700", "listen: 127.0.0.1:0", 1)
	r, err := begin(t, secret, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []probe{c.StartupProbe, c.LivenessProbe, c.ReadinessProbe} {
		if status, _ := r.get(t, p.HTTPGet.Path, ""); status != "HTTP/1.0 200 OK" || p.HTTPGet.Port != c.Ports[0].Name {
			t.Errorf("the probe of %s gets %s", p.HTTPGet.Path, status)
		}
	}
}
