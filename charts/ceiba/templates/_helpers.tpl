{{/* The name of the release's objects, short enough for the longest suffix. */}}
{{- define "ceiba.fullname" -}}
{{- $name := ternary .Release.Name (printf "%s-ceiba" .Release.Name) (contains "ceiba" .Release.Name) -}}
{{- $name | trunc 53 | trimSuffix "-" -}}
{{- end }}

{{/* The three below take a dict of the root and the component. */}}
{{- define "ceiba.name" -}}
{{ include "ceiba.fullname" .root }}-{{ .component }}
{{- end }}

{{- define "ceiba.selector" -}}
app.kubernetes.io/name: ceiba
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "ceiba.labels" -}}
{{ include "ceiba.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/* Takes a dict of the root, the image's name and a whole reference that replaces it. */}}
{{- define "ceiba.image" -}}
{{- with .root.Values.image -}}
{{- $tag := .tag | default $.root.Chart.AppVersion -}}
{{- $.reference | default (printf "%s%s:%s" (empty .registry | ternary "" (printf "%s/" .registry)) $.name $tag) -}}
{{- end -}}
{{- end }}

{{/* Takes a dict of plain values and of references to secrets, both by variable. */}}
{{- define "ceiba.env" -}}
{{- range $name, $value := .values }}
{{- if hasKey $.secrets $name }}{{ fail (printf "%s is set twice: in env and in secretEnv or secrets" $name) }}{{ end }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- range $name, $secret := .secrets }}
- name: {{ $name }}
  valueFrom:
    secretKeyRef: { name: {{ $secret.name | quote }}, key: {{ $secret.key | quote }} }
{{- end }}
{{- end }}

{{/* What every pod has. Takes the root. */}}
{{- define "ceiba.pod" -}}
automountServiceAccountToken: false
# A service that is called "runtime" or "console" would otherwise set RUNTIME_PORT or CONSOLE_PORT.
enableServiceLinks: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . | quote }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  {{- with .Values.runAsUser }}
  # The images name their user; Kubernetes checks runAsNonRoot only of a number.
  runAsUser: {{ int64 . }}
  runAsGroup: {{ int64 . }}
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.volumes }}
volumes:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* Where the pods of a component run. Takes a dict of the root and the component. */}}
{{- define "ceiba.placement" -}}
topologySpreadConstraints:
  {{- range tuple "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    # Without it the pods of the release before would count while a new one rolls out.
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels:
        {{- include "ceiba.selector" $ | nindent 8 }}
  {{- end }}
{{- with index .root.Values .component }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{/* What every container has: no file of the image can be changed, and nothing else is writable. */}}
{{- define "ceiba.container" -}}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- with .Values.volumeMounts }}
volumeMounts:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
