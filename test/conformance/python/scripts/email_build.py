"""Build a message with an attachment, print it, and parse it back."""
import email
import email.policy
import sys
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import formatdate, getaddresses, parsedate_to_datetime

message = EmailMessage(policy=email.policy.SMTP.clone(linesep="\n"))
message["Subject"] = "Größe: " + "a long subject that has to be folded " * 2
message["From"] = Address("Zoë Ex", "zoe", "example.org")
message["To"] = "Bo <bo@example.org>, team@example.org"
message["Date"] = formatdate(1_700_000_000)
message["Message-ID"] = "<1@example.org>"
message.set_content("Hello,\n\nwörld.\n" + sys.stdin.read())
message.add_alternative("<p>Hello</p>", subtype="html")
message.add_attachment(b"\0\1\2" * 30, maintype="application", subtype="octet-stream", filename="dätä.bin")
message.set_boundary("=====outer==")
message.get_payload(0).set_boundary("=====inner==")
text = message.as_bytes()
print(text.decode())
parsed = email.message_from_bytes(text, policy=email.policy.default)
for part in parsed.walk():
    print(part.get_content_type(), part.get_content_charset(), part.get_filename(), part["content-transfer-encoding"])
print(parsed["subject"], parsed["from"].addresses[0].display_name, parsed["to"].addresses, parsedate_to_datetime(parsed["date"]), sep="\n")
print(parsed.get_body(("plain",)).get_content(), getaddresses(["A <a@x>, b@y"]))
legacy = email.message_from_string("Subject: =?iso-8859-1?q?p=F6stal?=\nX: 1\nX: 2\n\nbody")
print(email.header.make_header(email.header.decode_header(legacy["subject"])), legacy.get_all("x"), legacy.is_multipart(), legacy.get_payload())
