/** A request of a person, and the skills that answer it. One of them is enough. */
export interface SearchRequest {
  request: string;
  accepted: readonly string[];
}

/**
 * Sixty ordinary requests over the skills that `search-corpus.ts` writes. They and their answers were decided from
 * the descriptions, before there was a ranking, and are not changed to suit one.
 */
export const searchRequests: readonly SearchRequest[] = [
  { request: 'merge two PDFs', accepted: ['pdf'] },
  { request: 'turn markdown into a Word document', accepted: ['docx', 'wps-office'] },
  { request: 'plot a CSV', accepted: ['chart-generator', 'visualization', 'xlsx'] },
  { request: 'security audit of a repository', accepted: ['code-audit', 'oss-repo-map'] },
  { request: 'explore csv', accepted: ['csv-cleanroom', 'xlsx'] },
  {
    request: 'make slides for my talk',
    accepted: [
      'pptx',
      'frontend-slides',
      'google-slides',
      'slides-cog',
      'ai-ppt-generator',
      'ai-presentation-maker',
    ],
  },
  {
    request: 'get the text out of a scanned page',
    accepted: ['ocr', 'pdf', 'pdf-ocr-layout', 'openocr-skills', 'multimodal-parser'],
  },
  { request: 'redact the names in a contract', accepted: ['pdf-contract-redactor'] },
  { request: 'compare two versions of an agreement', accepted: ['contract-redline-navigator'] },
  { request: 'make a QR code for my wifi', accepted: ['qrcode', 'qrcode-skills', 'generate-qr-code'] },
  {
    request: 'will it rain tomorrow, weather in Berlin',
    accepted: ['skills-weather', 'weather-checker', 'weather-openmeteo', 'weather-query'],
  },
  { request: 'remind me to call mom at 5', accepted: ['ping-me', 'reminder', 'apple-remind-me', 'todo'] },
  {
    request: 'save a YouTube video as mp3',
    accepted: ['youtube-audio-download', 'video-transcript-downloader'],
  },
  {
    request: 'what is said in this YouTube video',
    accepted: [
      'openclaw-youtube-transcript',
      'video-transcript-downloader',
      'transcript',
      'video-understanding',
      'video-watcher',
      'youtube-watcher',
    ],
  },
  {
    request: 'transcribe the recording of an interview',
    accepted: [
      'asr-claw',
      'azure-ai-transcription-py',
      'faster-whisper',
      'moss-transcribe-diarize',
      'parakeet-stt',
      'voice-transcriber',
    ],
  },
  {
    request: 'read this article aloud',
    accepted: [
      'edge-tts',
      'edge-tts-uvx',
      'elevenlabs',
      'ima-studio-tts',
      'jarvis-tts',
      'mac-tts',
      'voice-reply',
      'volcengine-ai-audio-tts',
      'zhipu-tts',
    ],
  },
  {
    request: 'summarise my unread emails',
    accepted: ['email-assistant', 'email-daily-summary', 'email-processor', 'gmail-ai', 'gmail-summarize'],
  },
  {
    request: 'clean up my inbox',
    accepted: ['email-processor', 'gmail-ai', 'inbox-cleanup', 'inbox-zero-api'],
  },
  { request: 'find cheap flights to Lisbon', accepted: ['air-train-ev', 'jinko-flight-search', 'planit'] },
  { request: 'book a hotel room', accepted: ['daolv-hotel-booking', 'planit'] },
  { request: 'plan a week of vacation in Italy', accepted: ['planit'] },
  { request: 'train connections in Belgium', accepted: ['irail-cli'] },
  { request: 'swap ETH for USDC', accepted: ['batch-swap', 'execute-swap', 'openclaw-wallet', 'uniswap-v4'] },
  {
    request: 'what is the price of Apple shares',
    accepted: ['clawwatch', 'futu-stock', 'stock-watcher', 'tencent-finance', 'yahooclaw'],
  },
  { request: 'animated gif for slack', accepted: ['slack-gif-creator'] },
  { request: 'fix the failing CI of my pull request', accepted: ['gh-actions-fix'] },
  {
    request: 'review this pull request',
    accepted: ['critical-code-reviewer', 'gh-pr-local', 'github-pr', 'glab', 'gh-address-comments'],
  },
  {
    request: 'write release notes from the git history',
    accepted: ['app-store-release-notes', 'release-gen'],
  },
  {
    request: 'draw a flow chart of the login',
    accepted: ['beautiful-mermaid', 'diagram-generator', 'mermaid-diagrams'],
  },
  { request: 'unzip a file', accepted: ['archive-tool'] },
  { request: 'my PowerPoint is too big to mail', accepted: ['ppt-compress'] },
  { request: 'translate a presentation into German', accepted: ['ppt-ooxml-translator'] },
  { request: 'icon for the browser tab of my site', accepted: ['favicon-generator'] },
  {
    request: 'rank higher on Google',
    accepted: [
      'ahrefs-mcp',
      'seo-content-autopilot-by-citedy',
      'seo-content-engine',
      'seo-optimizer',
      'webflow-seo-geo',
    ],
  },
  {
    request: 'check my website for accessibility',
    accepted: ['accessibility', 'afrexai-accessibility-engine', 'web-design-guidelines'],
  },
  {
    request: 'click through my web app and take screenshots',
    accepted: ['agb-agent-browser', 'agent-browser', 'openclaw-browser', 'webapp-testing'],
  },
  {
    request: 'scrape product data from a website',
    accepted: ['firecrawl-cli', 'time-masheen', 'web-scraper', 'agb-agent-browser'],
  },
  {
    request: 'find scientific papers about a topic',
    accepted: [
      'academic-search',
      'arxiv-watcher',
      'biorxiv',
      'citation-finder',
      'literature-search-workflow',
      'semantic-paper-radar',
    ],
  },
  { request: 'cite a paper correctly', accepted: ['citation-finder'] },
  { request: 'why is my computer so slow', accepted: ['process-watch'] },
  { request: 'deploy my app to kubernetes', accepted: ['kubernetes-devops'] },
  { request: 'rewrite our service in Rust', accepted: ['rust-rebuilder'] },
  { request: 'make this text sound less like ChatGPT', accepted: ['humanize-ai', 'humanizer'] },
  { request: 'adapt my CV to a job posting', accepted: ['resume-job-match-lab', 'resumeclaw'] },
  {
    request: 'keep track of what I spend',
    accepted: [
      'journey-to-first-million',
      'phoenixclaw-ledger',
      'receipt-expense-workbench',
      'receipt-manager',
    ],
  },
  { request: 'write an invoice for a client', accepted: ['client-manager', 'quote-invoice-workbench'] },
  { request: 'how much sales tax in Texas', accepted: ['ziptax-sales-tax'] },
  { request: 'plan meals for the week', accepted: ['feast', 'meal-planner', 'nutrition-planner'] },
  { request: 'when to plant tomatoes', accepted: ['gardening-calendar'] },
  { request: 'tidy up my downloads', accepted: ['downloads-command-center'] },
  { request: 'switch off the lights in the living room', accepted: ['homeassistant-skill'] },
  { request: 'have a contract signed online', accepted: ['signnow'] },
  {
    request: 'build an MCP server',
    accepted: ['mcp-builder', 'mcp-server-builder', 'mkit-builder', 'workers-mcp'],
  },
  {
    request: 'compose a song',
    accepted: [
      'ai-music-prompts',
      'giggle-generation-music',
      'mm-music-expert',
      'mm-music-maker',
      'musiclaw',
      'lyrics',
    ],
  },
  { request: 'convert heic photos to jpg', accepted: ['image-handler'] },
  { request: 'cut the start of an audio file', accepted: ['audio-handler'] },
  { request: 'prepare for my exams', accepted: ['study-revision-planner'] },
  { request: 'action items from a meeting', accepted: ['meeting-to-kanban', 'afrexai-email-to-calendar'] },
  { request: 'flash an ESP32', accepted: ['esp-idf-helper'] },
  { request: '生成二维码', accepted: ['generate-qr-code'] },
];

/**
 * Thirty more, written when the ranking was final, to see whether it only suits the requests above. No weight or word of it
 * has been changed for them.
 */
export const laterRequests: readonly SearchRequest[] = [
  { request: 'split a pdf into pages', accepted: ['pdf'] },
  { request: 'fill in an excel sheet with formulas', accepted: ['xlsx', 'google-sheets'] },
  {
    request: 'check if an agent skill is safe before I install it',
    accepted: [
      'skill-auditor',
      'skill-security-review',
      'pyx-scan',
      'skulk-skill-scanner',
      'aliyun-clawscan',
      'skill-shell',
      'aegis-audit',
    ],
  },
  {
    request: 'send an email with an attachment',
    accepted: ['smtp-send', 'gmail', 'outlook', 'email-reporter', 'sendgrid', 'mailgun'],
  },
  {
    request: 'create a calendar event',
    accepted: ['google-calendar', 'outlook', 'afrexai-email-to-calendar', 'feishu-calendar-tool', 'calendly'],
  },
  { request: 'find a time to meet with five people', accepted: ['ai-meeting-scheduling', 'calendly'] },
  {
    request: 'post to Twitter',
    accepted: ['rey-x-api', 'x-browser', 'x-brand-operator', 'rey-social-scheduler'],
  },
  {
    request: 'search Reddit for opinions',
    accepted: ['reddit-explore', 'reddit-insights', 'reddit-readonly', 'reddapi'],
  },
  { request: 'read my Apple notes', accepted: ['mac-notes-agent'] },
  { request: 'download a torrent', accepted: ['aria2-rpc', 'nas-movie-download'] },
  { request: 'earthquakes in Japan today', accepted: ['earthquake-monitor'] },
  { request: 'price of gold', accepted: ['gold-price-query', 'fund-news-summary'] },
  { request: 'translate Japanese text', accepted: ['japanese-translation-and-tutor'] },
  { request: 'make a carousel for Instagram', accepted: ['social-media-carousel'] },
  {
    request: 'build a discord or telegram bot',
    accepted: ['telegram-business', 'bots', 'discord-hub', 'telegram'],
  },
  { request: 'schedule shifts for my team', accepted: ['roster'] },
  { request: 'print a document', accepted: ['printer-ai'] },
  {
    request: 'upload a picture and get a link',
    accepted: ['image-hosting', 'github-image-hosting', 'oss-upload-online-access'],
  },
  {
    request: 'generate a video from a text prompt',
    accepted: [
      'sora',
      'ai-video-pro',
      'video-generator',
      'tensorslab-video',
      'grok-imagine',
      'neodomain-ai',
      'openclaw-media-gen',
      'renderful-ai',
      'ima-studio-video-generation',
      'ima-studio-all-in-one-ai-creation',
      'lowkey-viral',
      'alicloud-ai-video-wan-r2v',
      'google-veo-dynamic-city-nightview',
      'seedance-story-orchestrator',
      'sogni-gen',
    ],
  },
  { request: 'write a threat model', accepted: ['threat-model', 'prd-to-security-review'] },
  { request: 'create a test plan from the requirements', accepted: ['prd-to-testplan', 'prd-to-qa-cases'] },
  { request: 'docker commands', accepted: ['docker-essentials'] },
  { request: 'format json', accepted: ['json-formatter'] },
  { request: 'look at error logs', accepted: ['log-analyzer', 'sentry', 'logging-observability'] },
  { request: 'store secrets in azure', accepted: ['azure-keyvault-py'] },
  { request: 'upload a file to dropbox', accepted: ['dropbox'] },
  { request: 'tune ollama models', accepted: ['ollama-model-tuner'] },
  { request: 'plan high school courses in Canada', accepted: ['ontario-course-planning'] },
  { request: 'track my time on a project', accepted: ['toggl-track', 'client-manager'] },
  {
    request: 'is my wallet address risky',
    accepted: ['chainaware-behavioral-prediction', 'token-risk-explainer-skill'],
  },
];
