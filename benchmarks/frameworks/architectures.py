"""Complete models with few layers and random weights: architectures of transformers, and models of torch.nn alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

Make = Callable[[], tuple[Any, Sequence[Any]]]
"""A function that gives a model and its inputs."""
SIZES: dict[str, Any] = {
    "vocab_size": 300,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
KV: dict[str, Any] = {"num_key_value_heads": 2}


class Plain(nn.Module):
    """A model of transformers with tensors as inputs and outputs."""

    def __init__(self, inner: Any, inputs: Sequence[str], outputs: Sequence[str], **fixed: Any) -> None:
        super().__init__()
        self.inner, self.inputs, self.outputs, self.fixed = inner, inputs, outputs, fixed

    def forward(self, *given: Any) -> Any:
        found = self.inner(**dict(zip(self.inputs, given, strict=True)), **self.fixed)
        return tuple(getattr(found, name) for name in self.outputs)


class Decoding(nn.Module):
    """One step of decoding: a token, its position, and caches of keys and values."""

    def __init__(self, inner: Any, layers: int) -> None:
        super().__init__()
        self.inner, self.layers = inner, layers

    def forward(self, token: Any, position: Any, *caches: Any) -> Any:
        from transformers.cache_utils import DynamicCache

        held = DynamicCache([(caches[2 * at], caches[2 * at + 1]) for at in range(self.layers)])
        found = self.inner(input_ids=token, position_ids=position, past_key_values=held, use_cache=True)
        return (found.logits, *(each for layer in found.past_key_values.layers for each in (layer.keys, layer.values)))


def _built(model: str, config: str, dtype: Any = torch.float32, **fields: Any) -> Any:
    import transformers

    given = {name: value for name, value in {**SIZES, **fields}.items() if value is not None}
    return getattr(transformers, model)(getattr(transformers, config)(**given)).to(dtype)


def _ids(count: int = 16) -> Any:
    return torch.randint(3, 256, (1, count))


def _encoder(model: str, **fields: Any) -> Make:
    def make() -> tuple[Any, Sequence[Any]]:
        inner = _built(f"{model}Model", f"{model}Config", **fields)
        return Plain(inner, ("input_ids", "attention_mask"), ("last_hidden_state",)), (
            _ids(),
            torch.ones(1, 16, dtype=torch.int64),
        )

    return make


def _prefill(model: str, config: str = "", **fields: Any) -> Make:
    def make() -> tuple[Any, Sequence[Any]]:
        inner = _built(f"{model}ForCausalLM", f"{config or model}Config", **fields)
        return Plain(inner, ("input_ids",), ("logits",), use_cache=False), (_ids(),)

    return make


def _decode(model: str, heads: int, depth: int = 16, dtype: Any = torch.float32, **fields: Any) -> Make:
    def make() -> tuple[Any, Sequence[Any]]:
        inner = _built(f"{model}ForCausalLM", f"{model}Config", dtype, **fields)
        caches = [torch.randn(1, heads, 15, depth, dtype=dtype) for _ in range(4)]
        return Decoding(inner, 2), (_ids(1), torch.tensor([[15]]), *caches)

    return make


def _vision(model: str, config: str = "", size: int = 64, output: str = "last_hidden_state", **fields: Any) -> Make:
    def make() -> tuple[Any, Sequence[Any]]:
        import transformers

        inner = getattr(transformers, model)(
            getattr(transformers, f"{config or model.removesuffix('Model')}Config")(**fields)
        )
        return Plain(inner, ("pixel_values",), (output,)), (torch.randn(1, 3, size, size),)

    return make


def _detector() -> tuple[Any, Sequence[Any]]:
    """RT-DETR. Its weights are drawn from a wider range than by default, with which all scores are equal within
    rounding (6e-8), so that which boxes `topk` chooses among them is open."""
    import transformers

    trunk = transformers.RTDetrResNetConfig(
        embedding_size=16,
        hidden_sizes=[16, 32, 64, 128],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )
    widths: dict[str, Any] = {"d_model": 64, "encoder_hidden_dim": 64, "encoder_in_channels": [32, 64, 128]}
    widths |= {"encoder_ffn_dim": 128, "decoder_ffn_dim": 128, "decoder_in_channels": [64, 64, 64]}
    config = transformers.RTDetrConfig(
        initializer_range=0.2,
        use_timm_backbone=False,
        backbone=None,
        use_pretrained_backbone=False,
        backbone_config=trunk,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        decoder_layers=2,
        num_queries=20,
        num_denoising=0,
        **widths,
    )
    inner = transformers.RTDetrForObjectDetection(config)
    return Plain(inner, ("pixel_values",), ("logits", "pred_boxes", "enc_topk_logits")), (torch.randn(1, 3, 128, 128),)


class Convolutional(nn.Module):
    """A small network of convolutions, batch norms and a classifier."""

    def __init__(self, width: int, groups: int, activation: Any) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), activation())
        self.block = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, groups=groups), nn.BatchNorm2d(width), activation())
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 10))

    def forward(self, x: Any) -> Any:
        y = self.stem(x)
        return self.head(nn.functional.max_pool2d(y + self.block(y), 3, 2, 1))


def _network(width: int, groups: int, activation: Any) -> Make:
    return lambda: (Convolutional(width, groups, activation), (torch.randn(2, 3, 32, 32),))


def _module(make: Callable[[], Any], *shape: int) -> Make:
    return lambda: (make(), (torch.randn(*shape),))


V: dict[str, Any] = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
GPT: dict[str, Any] = {
    "hidden_size": None,
    "num_hidden_layers": None,
    "num_attention_heads": None,
    "intermediate_size": None,
}
EXPERTS: dict[str, Any] = {"num_local_experts": 4, "num_experts_per_tok": 2}
MODELS: dict[str, Make] = {
    **{
        name.lower(): _encoder(name)
        for name in (
            "Bert",
            "Roberta",
            "MPNet",
            "Camembert",
            "XLMRoberta",
            "Ernie",
            "RoFormer",
            "Data2VecText",
            "RobertaPreLayerNorm",
        )
    },
    "electra": _encoder("Electra", embedding_size=32),
    "albert": _encoder("Albert", embedding_size=32),
    "esm": _encoder("Esm", mask_token_id=2, pad_token_id=1),
    "convbert": _encoder("ConvBert", embedding_size=64),
    "deberta": _encoder("Deberta"),
    "deberta_v2": _encoder(
        "DebertaV2",
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
        position_buckets=8,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
    ),
    "modernbert": _encoder("ModernBert", cls_token_id=1, sep_token_id=2),
    "distilbert": _encoder("DistilBert", dim=64, n_layers=2, n_heads=4, hidden_dim=128, **GPT),
    "llama_prefill": _prefill("Llama", **KV),
    "llama_decode": _decode("Llama", 2, **KV),
    "llama_decode_f16": _decode("Llama", 2, dtype=torch.float16, **KV),
    "llama_decode_bf16": _decode("Llama", 2, dtype=torch.bfloat16, **KV),
    "mistral_prefill": _prefill("Mistral", sliding_window=8, **KV),
    "mistral_decode": _decode("Mistral", 2, sliding_window=8, **KV),
    "mixtral_prefill": _prefill("Mixtral", **EXPERTS, **KV),
    "mixtral_decode": _decode("Mixtral", 2, **EXPERTS, **KV),
    "qwen2_prefill": _prefill("Qwen2", **KV),
    "qwen2_decode": _decode("Qwen2", 2, **KV),
    "qwen3_prefill": _prefill("Qwen3", head_dim=16, **KV),
    "qwen3_decode": _decode("Qwen3", 2, head_dim=16, **KV),
    "qwen3_moe_prefill": _prefill(
        "Qwen3Moe", head_dim=16, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32, **KV
    ),
    "gemma_prefill": _prefill("Gemma", head_dim=16, **KV),
    "gemma2_prefill": _prefill("Gemma2", head_dim=16, sliding_window=8, **KV),
    "gemma3_prefill": _prefill("Gemma3", "Gemma3Text", head_dim=16, sliding_window=8, **KV),
    "phi_prefill": _prefill("Phi"),
    "phi_decode": _decode("Phi", 4),
    "phi3_prefill": _prefill("Phi3", **KV),
    "gpt_neox_prefill": _prefill("GPTNeoX"),
    "gpt_neox_decode": _decode("GPTNeoX", 4),
    "gptj_prefill": _prefill("GPTJ", n_embd=64, n_layer=2, n_head=4, rotary_dim=8, **GPT),
    "gpt_neo_prefill": _prefill(
        "GPTNeo",
        num_layers=2,
        num_heads=4,
        attention_types=[[["global", "local"], 1]],
        num_hidden_layers=None,
        num_attention_heads=None,
        intermediate_size=None,
    ),
    "opt_prefill": _prefill("OPT", ffn_dim=128, word_embed_proj_dim=64, intermediate_size=None),
    "opt_decode": _decode("OPT", 4, ffn_dim=128, word_embed_proj_dim=64, intermediate_size=None),
    "bloom_prefill": _prefill(
        "Bloom", n_layer=2, n_head=4, num_hidden_layers=None, num_attention_heads=None, intermediate_size=None
    ),
    "falcon_prefill": _prefill("Falcon", intermediate_size=None),
    "falcon_decode": _decode("Falcon", 1, intermediate_size=None),
    "gpt_oss_prefill": _prefill("GptOss", head_dim=16, **EXPERTS, **KV),
    "olmo_prefill": _prefill("Olmo", **KV),
    "olmo2_prefill": _prefill("Olmo2", **KV),
    "olmoe_prefill": _prefill("Olmoe", num_experts=4, num_experts_per_tok=2, **KV),
    "cohere_prefill": _prefill("Cohere", **KV),
    "granite_prefill": _prefill("Granite", **KV),
    "stablelm_prefill": _prefill("StableLm", **KV),
    "starcoder2_prefill": _prefill("Starcoder2", **KV),
    "persimmon_prefill": _prefill("Persimmon"),
    "glm_prefill": _prefill("Glm", head_dim=16, **KV),
    "smollm3_prefill": _prefill("SmolLM3", **KV),
    "deepseek_v3_prefill": _prefill(
        "DeepseekV3",
        moe_intermediate_size=32,
        n_routed_experts=4,
        n_group=2,
        topk_group=1,
        num_experts_per_tok=2,
        kv_lora_rank=16,
        q_lora_rank=24,
        qk_rope_head_dim=8,
        qk_nope_head_dim=16,
        v_head_dim=16,
        first_k_dense_replace=1,
        num_key_value_heads=4,
    ),
    "mamba_prefill": _prefill("Mamba", state_size=8, num_attention_heads=None, intermediate_size=None),
    "mamba2_prefill": _prefill(
        "Mamba2",
        state_size=8,
        num_heads=8,
        head_dim=16,
        n_groups=1,
        chunk_size=8,
        num_attention_heads=None,
        intermediate_size=None,
    ),
    "vit": _vision("ViTModel", image_size=64, **V),
    "deit": _vision("DeiTModel", image_size=64, **V),
    "beit": _vision("BeitModel", image_size=64, **V),
    "dinov2": _vision(
        "Dinov2Model", image_size=56, size=56, hidden_size=64, num_hidden_layers=2, num_attention_heads=4
    ),
    "swin": _vision("SwinModel", image_size=64, embed_dim=16, depths=[1, 1], num_heads=[2, 4], window_size=4),
    "convnext": _vision("ConvNextModel", hidden_sizes=[8, 16, 32, 64], depths=[1, 1, 1, 1]),
    "resnet": _vision(
        "ResNetModel", embedding_size=8, hidden_sizes=[8, 16, 32, 64], depths=[1, 1, 1, 1], layer_type="basic"
    ),
    "poolformer": _vision("PoolFormerModel", hidden_sizes=[8, 16, 32, 64], depths=[1, 1, 1, 1]),
    "segformer": _vision(
        "SegformerForSemanticSegmentation",
        "Segformer",
        output="logits",
        hidden_sizes=[8, 16, 32, 64],
        depths=[1, 1, 1, 1],
        decoder_hidden_size=32,
        num_attention_heads=[1, 2, 4, 8],
    ),
    "mobilevit": _vision(
        "MobileViTModel",
        image_size=64,
        hidden_sizes=[16, 24, 32],
        neck_hidden_sizes=[8, 16, 24, 32, 40, 48, 64],
        num_attention_heads=4,
    ),
    "rt_detr": _detector,
    "cnn": _network(8, 1, nn.ReLU),
    "cnn_depthwise": _network(8, 8, nn.SiLU),
    "cnn_grouped": _network(8, 2, nn.GELU),
    "cnn_hardswish": _network(12, 3, nn.Hardswish),
    "transformer_encoder": _module(
        lambda: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 2, enable_nested_tensor=False
        ),
        2,
        9,
        32,
    ),
    "autoencoder": _module(
        lambda: nn.Sequential(nn.Conv2d(1, 4, 3, 2, 1), nn.ReLU(), nn.ConvTranspose2d(4, 1, 4, 2, 1), nn.Sigmoid()),
        1,
        1,
        16,
        16,
    ),
    "mlp": _module(
        lambda: nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 8), nn.Softmax(-1)), 4, 16
    ),
}
