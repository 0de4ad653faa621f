//! Image preprocessing that gives other numbers than were meant.
use crate::{ChannelFormat, Graph, Preprocess, TensorInfo, base::WarningKind};

/// Networks are trained on numbers of about this size at most: pixels as they are, 0 to 255.
const LARGEST: f64 = 1000.0;

pub fn check(graph: &Graph, found: &mut Vec<WarningKind>) {
    for info in graph.inputs().iter().filter_map(|t| graph.tensor(*t).ok()) {
        if let Some(problem) = info.preprocess.as_ref().and_then(|how| problem(how, info)) {
            found.push(WarningKind::UnusualPreprocess { tensor: info.name.clone(), problem });
        }
    }
}

fn problem(how: &Preprocess, info: &TensorInfo) -> Option<String> {
    let channels = how.pixel_format.channels();
    let axis = match how.channel_format {
        ChannelFormat::Nchw => info.shape.len().checked_sub(3),
        ChannelFormat::Nhwc => info.shape.len().checked_sub(1),
    };
    let found = axis.and_then(|axis| info.shape.get(axis));
    if ![3, 4].contains(&info.shape.len()) || found != Some(&channels) {
        return Some(format!(
            "the input is {}, not an image of {channels} channels in the order {}; images cannot be fed to it",
            info.type_text(),
            how.channel_format.name()
        ));
    }
    if how.scale.contains(&0.0) {
        return Some(format!("scale is {:?}; a scale of 0 makes all pixels 0", how.scale));
    }
    let values = || how.mean.iter().zip(&how.scale);
    if how.mean.iter().any(|mean| *mean > 0.0) && how.mean.iter().all(|mean| (0.0..=1.0).contains(mean)) {
        return Some(format!("mean is {:?}; pixels are 0 to 255, so multiply a mean for 0 to 1 by 255", how.mean));
    }
    let largest =
        values().map(|(mean, scale)| (mean.abs().max((255.0 - mean).abs()) * scale).abs()).fold(0.0, f64::max);
    (largest > LARGEST).then(|| {
        format!("pixels become numbers of up to {largest:.0}; scale multiplies, so it is 1 / the standard deviation")
    })
}

#[cfg(test)]
mod tests {
    use crate::{ChannelFormat, Dtype, Graph, Preprocess};

    fn told(shape: &[usize], how: Preprocess) -> Vec<String> {
        let mut g = Graph::new("g").unwrap();
        let x = g.input("x", Dtype::Float32, shape).unwrap();
        g.preprocess(x, how).unwrap();
        let y = g.relu(x).call().unwrap();
        g.set_outputs(&[y]).unwrap();
        g.warnings().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn units_and_layouts_are_checked() {
        let usual = Preprocess::default;
        let of = |mean: f64, scale: f64| Preprocess { mean: vec![mean; 3], scale: vec![scale; 3], ..usual() };
        for how in [usual(), of(0.0, 1.0 / 255.0), of(123.675, 0.017), of(127.5, 1.0 / 127.5), of(128.0, 1.0)] {
            assert_eq!(told(&[1, 3, 8, 8], how), [""; 0]);
        }
        assert_eq!(
            told(&[1, 3, 8, 8], of(0.485, 1.0)),
            [
                "the preprocess of \"x\": mean is [0.485, 0.485, 0.485]; pixels are 0 to 255, so multiply a mean for 0 to 1 by 255"
            ]
        );
        assert_eq!(
            told(&[1, 3, 8, 8], of(123.0, 58.0)),
            [
                "the preprocess of \"x\": pixels become numbers of up to 7656; scale multiplies, so it is 1 / the standard deviation"
            ]
        );
        let nhwc = || Preprocess { channel_format: ChannelFormat::Nhwc, ..usual() };
        assert_eq!(told(&[1, 8, 8, 3], nhwc()), [""; 0]);
        assert_eq!(
            told(&[1, 3, 8, 8], nhwc()),
            [
                "the preprocess of \"x\": the input is 1x3x8x8 float32, not an image of 3 channels in the order nhwc; images cannot be fed to it"
            ]
        );
        assert_eq!(told(&[1, 6], usual()).len(), 1);
    }
}
