{{- define "chirograph.name" -}}
{{- printf "%s" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- define "chirograph.labels" -}}
app.kubernetes.io/name: chirograph
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "chirograph.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- define "chirograph.placement" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
nodeSelector: {{- toYaml .Values.nodeSelector | nindent 2 }}
tolerations: {{- toYaml .Values.tolerations | nindent 2 }}
affinity: {{- toYaml .Values.affinity | nindent 2 }}
{{- end -}}
{{- define "chirograph.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}
{{- define "chirograph.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}
