-- 0032 openid4vp: transaction data of a presentation request, its origins for the Digital Credentials API, the session of its browser, and signed requests
-- without a certificate.
-- Locks: presentation_request for one scan of its rows (the new check). Old code runs on it: yes, but it would serve and accept a request with transaction
-- data without them, so let these end first. Way back: drop the columns, and the check after the requests of registered clients have ended.
alter table presentation_request
  -- Sealed; what the holder authorizes. Cleared with the final status: answered, canceled or by the schedule verification.expire-requests.
  add column transaction_data bytea,
  -- Web origins and protocols for the Digital Credentials API of browsers; null: not for browsers.
  add column digital_credentials jsonb,
  -- SHA-256 of what the organisation named the session of the browser in which the flow began; null: no session.
  add column browser_session_hash bytea check (octet_length(browser_session_hash) = 32),
  add check (transaction_data is null or status in ('requested', 'answering')),
  -- A registered client, or one with a verifier attestation, signs with the key of the tenant, so without a certificate.
  drop constraint presentation_request_check3,
  add constraint presentation_request_signer check (signer_id is null or client_id is not null);
