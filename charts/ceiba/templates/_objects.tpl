{{/* Objects that both components have. Each takes a dict of the root and the component. */}}
{{- define "ceiba.disruption" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "ceiba.name" . }}
  labels:
    {{- include "ceiba.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  # During an outage of Postgres no pod is ready, and nodes can still be drained.
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "ceiba.selector" . | nindent 6 }}
{{- end }}

{{/* Takes also the host, the port, and the values of the Ingress. */}}
{{- define "ceiba.ingress" -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ include "ceiba.name" . }}
  labels:
    {{- include "ceiba.labels" . | nindent 4 }}
  {{- with .ingress.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .ingress.className }}
  ingressClassName: {{ . | quote }}
  {{- end }}
  {{- if .ingress.tlsSecretName }}
  tls:
    - secretName: {{ .ingress.tlsSecretName | quote }}
      hosts: [{{ .host | quote }}]
  {{- end }}
  rules:
    - host: {{ .host | quote }}
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: {{ include "ceiba.name" . }}
                port: { number: {{ .port }} }
{{- end }}
